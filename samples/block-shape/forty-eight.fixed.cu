// y = a x + y, with whole warps in every block.
#include "../common.cuh"

__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> x(n), y(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    x[i] = smallInteger(i, 100);
    y[i] = smallInteger(i + 3, 100);
    expected += y[i] + 12 * 2.0 * x[i];
  }
  float *deviceX, *deviceY;
  CHECK(cudaMalloc(&deviceX, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceY, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceY, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    saxpy<<<blocks, threads>>>(deviceY, deviceX, 2.0f, n);
  });

  CHECK(cudaMemcpy(y.data(), deviceY, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += y[i];
  CHECK(cudaFree(deviceX));
  CHECK(cudaFree(deviceY));
  return verdict(result, expected, milliseconds);
}
