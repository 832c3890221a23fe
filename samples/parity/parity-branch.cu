// Iterates two maps: one on the even elements of a vector, the other on the odd ones.
#include "../common.cuh"

const int iterations = 200;

__global__ void iterate(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  if (threadIdx.x % 2 == 0) {
    for (int k = 0; k < iterations; k++) v = sinf(v) + 1.0f;
  } else {
    for (int k = 0; k < iterations; k++) v = cosf(v) * 0.5f;
  }
  values[i] = v;
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  std::vector<float> start(n), values(n);
  for (int i = 0; i < n; i++) start[i] = smallInteger(i, 1000) / 1000.0f;
  float *deviceValues;
  CHECK(cudaMalloc(&deviceValues, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceValues, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    iterate<<<(n + threads - 1) / threads, threads>>>(deviceValues, n);
  });

  CHECK(cudaMemcpy(values.data(), deviceValues, n * sizeof(float), cudaMemcpyDeviceToHost));
  // Both maps have one fixed point each, which every start value runs into.
  double even = 1.0, odd = 0.5;
  for (int k = 0; k < 12 * iterations; k++) {
    even = std::sin(even) + 1.0;
    odd = std::cos(odd) * 0.5;
  }
  double result = 0;
  for (int i = 0; i < n; i++) result += values[i];
  CHECK(cudaFree(deviceValues));
  return verdict(result, n / 2 * (even + odd), milliseconds, 1e-5);
}
