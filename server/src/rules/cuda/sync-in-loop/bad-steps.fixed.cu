// A wait after each of many launches in one stream; a main prints what comes out.
#include <cstdio>
#include <utility>

__global__ void diffuse(const float *before, float *after, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) after[i] = 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

int main() {
  const int n = 1 << 12, steps = 40;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  float host[n];
  for (int i = 0; i < n; i++) host[i] = i % 64;
  cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int step = 0; step < steps; step++) {
    diffuse<<<(n + 255) / 256, 256>>>(a, b, n);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();  // not needed: one stream
  cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += host[i] * (i % 7);
  printf("%.3f\n", sum);
  return 0;
}
