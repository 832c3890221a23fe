// Adds two vectors; neighbouring threads add neighbouring elements.
#include "../common.cuh"

__global__ void addVectors(const double *a, const double *b, double *sum, int n, int perThread) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = t; i < n; i += gridDim.x * blockDim.x) {
    sum[i] = a[i] + b[i];
  }
}

int main() {
  const int n = 1 << 25;
  const int perThread = 256;
  const int threads = 256;
  const int blocks = (n / perThread + threads - 1) / threads;
  std::vector<double> a(n), b(n), sum(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    a[i] = smallInteger(i, 100);
    b[i] = smallInteger(i + 7, 100);
    expected += (a[i] + b[i]) * (i % 5);
  }
  double *deviceA, *deviceB, *deviceSum;
  CHECK(cudaMalloc(&deviceA, n * sizeof(double)));
  CHECK(cudaMalloc(&deviceB, n * sizeof(double)));
  CHECK(cudaMalloc(&deviceSum, n * sizeof(double)));
  CHECK(cudaMemcpy(deviceA, a.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    addVectors<<<blocks, threads>>>(deviceA, deviceB, deviceSum, n, perThread);
  });

  CHECK(cudaMemcpy(sum.data(), deviceSum, n * sizeof(double), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += sum[i] * (i % 5);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceSum));
  return verdict(result, expected, milliseconds);
}
