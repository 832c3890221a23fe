// Sums an array, each thread adding its own product to the total.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "../common.cuh"

__global__ void dotProduct(const float *a, const float *b, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    {
      const auto lanes = cooperative_groups::coalesced_threads();
      float part = a[i] * b[i];
      part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
      if (lanes.thread_rank() == 0) atomicAdd(total, part);
    }
  }
}

int main() {
  const int n = 1 << 20, block = 256;
  std::vector<float> a(n), b(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    a[i] = smallInteger(i, 4);
    b[i] = smallInteger(i + n, 4);
    expected += a[i] * b[i];
  }
  float *deviceA, *deviceB, *deviceTotal;
  CHECK(cudaMalloc(&deviceA, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceB, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceTotal, sizeof(float)));
  CHECK(cudaMemcpy(deviceA, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    CHECK(cudaMemsetAsync(deviceTotal, 0, sizeof(float)));
    dotProduct<<<(n + block - 1) / block, block>>>(deviceA, deviceB, deviceTotal, n);
  });

  float total = 0;
  CHECK(cudaMemcpy(&total, deviceTotal, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceTotal));
  return verdict(total, expected, milliseconds);
}
