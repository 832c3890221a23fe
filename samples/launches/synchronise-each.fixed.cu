// Relaxes a rod step by step: a hundred short launches, one after the other.
#include "../common.cuh"

__global__ void relax(const float *before, float *after, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) after[i] = 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

int main() {
  const int n = 1 << 16;
  const int steps = 100;
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> rod(n);
  for (int i = 0; i < n; i++) rod[i] = smallInteger(i, 1000);
  float *deviceBefore, *deviceAfter;
  CHECK(cudaMalloc(&deviceBefore, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceAfter, n * sizeof(float)));

  auto relaxAll = [&] {
    CHECK(cudaMemcpy(deviceBefore, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceAfter, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int step = 0; step < steps; step++) {
      relax<<<blocks, threads>>>(deviceBefore, deviceAfter, n);
      std::swap(deviceBefore, deviceAfter);
    }
    cudaDeviceSynchronize();
  };
  float milliseconds = medianMilliseconds(11, relaxAll);

  std::vector<float> out(n), expectedRod(rod), next(rod);
  CHECK(cudaMemcpy(out.data(), deviceBefore, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < n - 1; i++) next[i] = 0.25f * expectedRod[i - 1] + 0.5f * expectedRod[i] + 0.25f * expectedRod[i + 1];
    std::swap(expectedRod, next);
  }
  double result = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    result += out[i];
    expected += expectedRod[i];
  }
  CHECK(cudaFree(deviceBefore));
  CHECK(cudaFree(deviceAfter));
  return verdict(result, expected, milliseconds, 1e-5);
}
