// Adds up a long vector: every block reduces its part to one number, the host adds the blocks.
#include "../common.cuh"

const int threads = 512;

__global__ void sumBlocks(const float *values, float *blockSums, int n) {
  __shared__ float partial[threads / 32];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += values[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < threads / 32 ? partial[t] : 0.0f;
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  }
  if (t == 0) blockSums[blockIdx.x] = sum;
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
