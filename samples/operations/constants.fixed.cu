// Weighs the values of each row by a table that the lanes read from different places, one thread an element.
#include "../common.cuh"

const int taps = 64;
__device__ float weights[256 + taps];

__global__ void weigh(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < taps; k++) {
    sum += in[i] * weights[threadIdx.x + k];
  }
  out[i] = sum;
}

int main() {
  const int n = 1 << 22, block = 256;
  std::vector<float> in(n), out(n), table(256 + taps);
  for (int k = 0; k < 256 + taps; k++) table[k] = smallInteger(k, 8);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = smallInteger(i, 16);
    for (int k = 0; k < taps; k++) expected += in[i] * table[i % block + k];
  }
  float *deviceIn, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(weights, table.data(), table.size() * sizeof(float)));

  float milliseconds = medianMilliseconds(11, [&] {
    weigh<<<(n + block - 1) / block, block>>>(deviceIn, deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += out[i];
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
