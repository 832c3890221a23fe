#include <cuda_runtime.h>

__global__ void staged(float *x, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  x[i] = tile[threadIdx.x] + 1.0f;
}

void launch(float *x, int n) {
  const int bytes = 96 * 1024;
  cudaFuncSetAttribute(staged, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  staged<<<n / 256, 256, bytes>>>(x, n);
}
