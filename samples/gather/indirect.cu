// Puts elements into a given order.
#include "../common.cuh"

__global__ void reorder(const float *in, const int *order, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[order[i]];
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  std::vector<float> in(n), out(n);
  std::vector<int> order(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = smallInteger(i, 1000);
    order[i] = static_cast<int>((i * 40503ll + 17) % n);   // an odd factor visits every element once
  }
  for (int i = 0; i < n; i++) expected += static_cast<double>(in[order[i]]) * (i % 5);
  float *deviceIn, *deviceOut;
  int *deviceOrder;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceOrder, n * sizeof(int)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceOrder, order.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    reorder<<<(n + threads - 1) / threads, threads>>>(deviceIn, deviceOrder, deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += static_cast<double>(out[i]) * (i % 5);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  CHECK(cudaFree(deviceOrder));
  return verdict(result, expected, milliseconds);
}
