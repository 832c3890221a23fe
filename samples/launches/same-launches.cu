// Relaxes a rod back and forth: the same two short launches, hundreds of times.
// warplens-ignore-file cuda/block-shape: small on purpose
#include "../common.cuh"

__global__ void relax(const float *before, float *after, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) after[i] = 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

int main() {
  const int n = 1 << 14;
  const int rounds = 200;
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> rod(n);
  for (int i = 0; i < n; i++) rod[i] = smallInteger(i, 1000);
  float *even, *odd;
  CHECK(cudaMalloc(&even, n * sizeof(float)));
  CHECK(cudaMalloc(&odd, n * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  auto relaxAll = [&] {
    CHECK(cudaMemcpy(even, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(odd, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int round = 0; round < rounds; round++) {
      relax<<<blocks, threads, 0, stream>>>(even, odd, n);
      relax<<<blocks, threads, 0, stream>>>(odd, even, n);
    }
    CHECK(cudaStreamSynchronize(stream));
  };
  float milliseconds = medianMilliseconds(11, relaxAll);

  std::vector<float> out(n), expectedRod(rod), next(rod);
  CHECK(cudaMemcpy(out.data(), even, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int step = 0; step < 2 * rounds; step++) {
    for (int i = 1; i < n - 1; i++) next[i] = 0.25f * expectedRod[i - 1] + 0.5f * expectedRod[i] + 0.25f * expectedRod[i + 1];
    std::swap(expectedRod, next);
  }
  double result = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    result += out[i];
    expected += expectedRod[i];
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(even));
  CHECK(cudaFree(odd));
  return verdict(result, expected, milliseconds, 1e-5);
}
