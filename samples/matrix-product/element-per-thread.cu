// Multiplies two matrices, an element of the product for each thread.
#include "../common.cuh"

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
      sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
  }
}

int main() {
  const int n = 1024;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) a[i] = smallInteger(i, 4);
  for (int i = 0; i < n * n; i++) b[i] = smallInteger(i + n, 4);
  float *deviceA, *deviceB, *deviceC;
  CHECK(cudaMalloc(&deviceA, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceB, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceC, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(deviceA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  float milliseconds = medianMilliseconds(11, [&] { multiply<<<grid, block>>>(deviceA, deviceB, deviceC, n); });

  CHECK(cudaMemcpy(c.data(), deviceC, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  std::vector<double> columnsOfA(n), rowsOfB(n);
  for (int i = 0; i < n * n; i++) {
    result += c[i];
    columnsOfA[i % n] += a[i];
    rowsOfB[i / n] += b[i];
  }
  for (int k = 0; k < n; k++) expected += columnsOfA[k] * rowsOfB[k];
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  return verdict(result, expected, milliseconds);
}
