// Multiplies two matrices by cuBLAS.
#include "../common.cuh"
#include <cublas_v2.h>

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

  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
  const float one = 1.0f, zero = 0.0f;
  float milliseconds = medianMilliseconds(11, [&] {
    // Matrices in rows are transposed ones in columns: c^T = b^T a^T.
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, deviceB, n, deviceA, n, &zero, deviceC, n);
  });
  cublasDestroy(handle);

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
