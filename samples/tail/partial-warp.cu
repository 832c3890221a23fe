// Scales a vector with blocks of 1000 threads.
#include "../common.cuh"

__global__ void scale(float *values, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * factor;
}

int main() {
  const int n = 20000003;
  const int threads = 1000;
  std::vector<float> values(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    values[i] = smallInteger(i, 1000);
    expected += static_cast<double>(values[i]) * (i % 3);
  }
  float *deviceValues;
  CHECK(cudaMalloc(&deviceValues, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceValues, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    scale<<<(n + threads - 1) / threads, threads>>>(deviceValues, -1.0f, n);
  });

  CHECK(cudaMemcpy(values.data(), deviceValues, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += static_cast<double>(values[i]) * (i % 3);
  CHECK(cudaFree(deviceValues));
  return verdict(result, expected, milliseconds);
}
