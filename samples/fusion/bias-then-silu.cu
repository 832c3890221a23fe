// Adds a bias and applies SiLU, a kernel for each: what the first one writes is read again by the second.
#include "../common.cuh"

__global__ void addBias(const float *in, const float *bias, float *out, int n, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + bias[i % columns];
}

__global__ void silu(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] / (1.0f + expf(-values[i]));
}

int main() {
  const int n = 1 << 26, columns = 1024, threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> in(n), bias(columns), out(n);
  for (int i = 0; i < n; i++) in[i] = smallInteger(i, 9) - 4;
  for (int i = 0; i < columns; i++) bias[i] = smallInteger(i, 3) - 1;
  float *deviceIn, *deviceBias, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceBias, columns * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceBias, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    addBias<<<blocks, threads>>>(deviceIn, deviceBias, deviceOut, n, columns);
    silu<<<blocks, threads>>>(deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    const double x = in[i] + bias[i % columns];
    result += out[i];
    expected += x / (1 + std::exp(-x));
  }
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceBias));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds, 1e-5);
}
