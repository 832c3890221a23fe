// Blocking copies in a loop whose results are read behind it; the host memory is pinned.
#include <cstdio>

__global__ void square(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int parts = 8, n = 1 << 12;
  float *in, *out, *deviceIn, *deviceOut;
  cudaMallocHost(&in, parts * n * sizeof(float));
  cudaMallocHost(&out, parts * n * sizeof(float));
  cudaMalloc(&deviceIn, n * sizeof(float));
  cudaMalloc(&deviceOut, n * sizeof(float));
  for (int i = 0; i < parts * n; i++) in[i] = i % 100;
  for (int part = 0; part < parts; part++) {
    cudaMemcpyAsync(deviceIn, in + part * n, n * sizeof(float), cudaMemcpyHostToDevice);
    square<<<n / 256, 256>>>(deviceIn, deviceOut, n);
    cudaMemcpyAsync(out + part * n, deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < parts * n; i++) sum += out[i];
  printf("%.0f\n", sum);
  return 0;
}
