#include <cuda_runtime.h>

__global__ void addOne(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

void prefetched(int n, cudaMemLocation gpu) {
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; i++) x[i] = i;
  cudaMemPrefetchAsync(x, n * sizeof(float), gpu, 0, 0);
  addOne<<<(n + 255) / 256, 256>>>(x, n);
}
