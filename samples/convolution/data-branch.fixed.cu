// A convolution whose taps are added or subtracted by a bit of the signal.
#include "../common.cuh"

const int taps = 128;

__global__ void convolve(const int *signal, const int *weights, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int total = 0;
  for (int j = 0; j < taps; j++) {
    total += (2 * (signal[i + j] & 1) - 1) * weights[j];
  }
  out[i] = total;
}

int main() {
  const int n = 1 << 20;
  const int threads = 256;
  std::vector<int> signal(n + taps), weights(taps), out(n);
  for (int i = 0; i < n + taps; i++) signal[i] = smallInteger(i, 1000);
  for (int j = 0; j < taps; j++) weights[j] = smallInteger(j, 50);
  int *deviceSignal, *deviceWeights, *deviceOut;
  CHECK(cudaMalloc(&deviceSignal, (n + taps) * sizeof(int)));
  CHECK(cudaMalloc(&deviceWeights, taps * sizeof(int)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(int)));
  CHECK(cudaMemcpy(deviceSignal, signal.data(), (n + taps) * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceWeights, weights.data(), taps * sizeof(int), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    convolve<<<(n + threads - 1) / threads, threads>>>(deviceSignal, deviceWeights, deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (int i = 0; i < n; i++) {
    int total = 0;
    for (int j = 0; j < taps; j++) total += (signal[i + j] & 1) ? weights[j] : -weights[j];
    expected += static_cast<double>(total) * (i % 7);
    result += static_cast<double>(out[i]) * (i % 7);
  }
  CHECK(cudaFree(deviceSignal));
  CHECK(cudaFree(deviceWeights));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
