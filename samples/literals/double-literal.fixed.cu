// Iterates a contraction on every element of a float vector.
#include "../common.cuh"

const int iterations = 500;

__global__ void contract(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  for (int k = 0; k < iterations; k++) {
    v = v * 0.99f + 0.01f;
  }
  values[i] = v;
}

__global__ void halve(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * 0.5f;
}

int main() {
  const int n = 1 << 20;
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> start(n), values(n);
  for (int i = 0; i < n; i++) start[i] = smallInteger(i, 1000) / 500.0f;
  float *deviceValues;
  CHECK(cudaMalloc(&deviceValues, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceValues, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    contract<<<blocks, threads>>>(deviceValues, n);
  });
  halve<<<blocks, threads>>>(deviceValues, n);

  CHECK(cudaMemcpy(values.data(), deviceValues, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += values[i];
  CHECK(cudaFree(deviceValues));
  return verdict(result, 0.5 * n, milliseconds, 1e-4);
}
