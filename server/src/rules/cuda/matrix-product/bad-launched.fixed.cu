// Products whose launches the call can replace: once, in a loop with a stream, in columns, twice in one block.
#include <cuda_fp16.h>
#include <cstdio>
#include <cublas_v2.h>

void once(const float *a, const float *b, float *c, int n) {
  dim3 block(32, 8), grid((n + 31) / 32, (2 * n + 7) / 8);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1.0f, zero = 0.0f;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, 2 * n, n, &one, b, n, a, n, &zero, c, n);
  if (cudaGetLastError() != cudaSuccess) printf("not launched\n");
  cublasDestroy(handle);
}

void repeated(const double *x, const double *y, double *z, int n, cudaStream_t stream) {
  const dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  for (int step = 0; step < 10; step++) {
    const double alpha = step * 0.5;
    const double beta = 1.0;
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, y, n, x, n, &beta, z, n);
  }
  cublasDestroy(handle);
}

void twice(const __half *a, const __half *b, __half *c, int m, int n, int depth) {
  const dim3 block(32, 4);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const __half one = __float2half(1.0f);
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, depth, &one, a, m, b, depth, &one, c, m);
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, depth, &one, a, m, b + depth * n, depth, &one, c, m);
  cublasDestroy(handle);
}
