// Reverses the elements of every block.
#include "../common.cuh"

const int threads = 256;

__global__ void reverseBlocks(const int *in, int *out, int n) {
  __shared__ int staged[threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) staged[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = staged[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int n = 1 << 20;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; i++) in[i] = smallInteger(i, 1000);
  int *deviceIn, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(int)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(int)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    reverseBlocks<<<(n + threads - 1) / threads, threads>>>(deviceIn, deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    result += static_cast<double>(out[i]) * (i % 17);
    expected += static_cast<double>(in[i / threads * threads + threads - 1 - i % threads]) * (i % 17);
  }
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
