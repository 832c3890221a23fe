// Processes batches that arrive one after the other; the host adds up each batch as it comes back.
#include "../common.cuh"

__global__ void increment(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1.0f;
}

double processBatches(std::vector<float> &batch, int batches) {
  const int n = static_cast<int>(batch.size());
  const int threads = 256;
  double total = 0;
  for (int turn = 0; turn < batches; turn++) {
    float *device;
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    CHECK(cudaMemcpy(device, batch.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    increment<<<(n + threads - 1) / threads, threads>>>(device, n);
    CHECK(cudaMemcpy(batch.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    total += batch[turn];
  }
  return total;
}

int main() {
  const int batches = 10;
  std::vector<float> batch(1 << 18, 0.0f);
  double result = processBatches(batch, batches);
  float milliseconds = medianMilliseconds(11, [&] { processBatches(batch, batches); });
  return verdict(result, batches * (batches + 1) / 2, milliseconds);
}
