// A macro that allocates and copies on one line, three times: one remark for the loop.
#include <cuda_runtime.h>
#define TO_DEVICE(name) float *name##Device; cudaMalloc(&name##Device, n * sizeof(float)); cudaMemcpy(name##Device, name, n * sizeof(float), cudaMemcpyHostToDevice)

__global__ void mix(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] * c[i];
}

void mixAll(const float *a, const float *b, float *c, int n, int repeat) {
  for (int r = 0; r < repeat; r++) {
    TO_DEVICE(a);
//  ^^^^^^^^^^^^ allocation hint
    TO_DEVICE(b);
    TO_DEVICE(c);
    mix<<<(n + 255) / 256, 256>>>(aDevice, bDevice, cDevice, n);
    cudaMemcpy(c, cDevice, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(aDevice);
    cudaFree(bDevice);
    cudaFree(cDevice);
  }
}
