// Waits of debug builds, under a condition, around kernels that print, and a sync after the loop.
#include <cstdio>
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

__device__ void tell(int i, float value) {
  if (i % 1024 == 0) printf("%d: %f\n", i, value);
}
__global__ void telling(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) tell(i, x[i] += 1.0f);
}
void launchTelling(float *x, int n) {
  telling<<<(n + 255) / 256, 256>>>(x, n);
}

// What was printed comes when the host waits: through a call on the device, a call on the host, and a graph.
void printed(float *x, int n, cudaGraphExec_t graph) {
  for (int i = 0; i < 100; i++) {
    telling<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
  }
  for (int i = 0; i < 100; i++) {
    launchTelling(x, n);
    cudaDeviceSynchronize();
  }
  for (int i = 0; i < 100; i++) {
    cudaGraphLaunch(graph, 0);
    cudaDeviceSynchronize();
  }
  cudaDeviceSynchronize();
}
