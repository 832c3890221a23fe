#include <cuda_runtime.h>

__global__ void addOne(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

// The GPU writes it first, the host a page at most, or afterwards.
void all(int n) {
  float *x, *few, *after;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&few, 32 * sizeof(float));
  cudaMallocManaged(&after, n * sizeof(float));
  x[0] = 1;
  for (int i = 0; i < 32; i++) few[i] = i;
  addOne<<<(n + 255) / 256, 256>>>(x, n);
  addOne<<<(n + 255) / 256, 256>>>(few, 32);
  addOne<<<(n + 255) / 256, 256>>>(after, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) after[i] = x[i];
}
