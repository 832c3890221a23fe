// Waits of debug builds, under a condition, and a sync after the loop.
#include <cstdlib>

__global__ void work(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

void debugBuild(float *x, int n, bool check) {
  for (int i = 0; i < 100; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
#ifndef NDEBUG
    if (cudaDeviceSynchronize() != cudaSuccess) abort();
    cudaDeviceSynchronize();
#endif
    if (check && i % 10 == 0) cudaDeviceSynchronize();
  }
  cudaDeviceSynchronize();
}
