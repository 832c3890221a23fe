#include <cuda_runtime.h>

__global__ void addOne(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

__global__ void add(float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

// Without cudaMemPrefetchAsync; two arrays of a launch are one finding.
float first(int n) {
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; i++) x[i] = y[i] = i;
  add<<<(n + 255) / 256, 256>>>(x, y, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ faults information
  addOne<<<(n + 255) / 256, 256>>>(x, n);
  cudaDeviceSynchronize();
  return x[0];
}
