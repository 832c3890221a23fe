// Adds up a long vector: every block reduces its part to one number, the host adds the blocks.
#include "../common.cuh"

const int threads = 512;

__global__ void sumBlocks(const float *values, float *blockSums, int n) {
  __shared__ float partial[threads];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += values[i];
  partial[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) blockSums[blockIdx.x] = partial[0];
}

int main() {
  const int n = 1 << 22;
  const int blocks = 4096;
  std::vector<float> values(n), sums(blocks);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    values[i] = smallInteger(i, 8);
    expected += values[i];
  }
  float *deviceValues, *deviceSums;
  CHECK(cudaMalloc(&deviceValues, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceSums, blocks * sizeof(float)));
  CHECK(cudaMemcpy(deviceValues, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] { sumBlocks<<<blocks, threads>>>(deviceValues, deviceSums, n); });

  CHECK(cudaMemcpy(sums.data(), deviceSums, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (float sum : sums) result += sum;
  CHECK(cudaFree(deviceValues));
  CHECK(cudaFree(deviceSums));
  return verdict(result, expected, milliseconds);
}
