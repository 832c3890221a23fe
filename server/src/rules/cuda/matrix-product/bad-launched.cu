// Products whose launches the call can replace: once, in a loop with a stream, in columns, twice in one block.
#include <cuda_fp16.h>
#include <cstdio>

// An element of the product for each thread.
__global__ void inRows(const float *a, const float *b, float *c, int m, int n, int depth) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + column];
//                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
    c[row * n + column] = sum;
  }
}

void once(const float *a, const float *b, float *c, int n) {
  dim3 block(32, 8), grid((n + 31) / 32, (2 * n + 7) / 8);
  inRows<<<grid, block>>>(a, b, c, 2 * n, n, n);
  if (cudaGetLastError() != cudaSuccess) printf("not launched\n");
}

__global__ void updated(const double *x, const double *y, double *z, double alpha, double beta, int n) {
  const int i = threadIdx.y + blockIdx.y * 16, j = threadIdx.x + blockIdx.x * 16;
  if (i >= n || j >= n) return;
  double total = 0;
  for (int k = 0; k < n; ++k) total = fma(x[i * n + k], y[k * n + j], total);
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  z[i * n + j] = alpha * total + beta * z[i * n + j];
}

void repeated(const double *x, const double *y, double *z, int n, cudaStream_t stream) {
  const dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int step = 0; step < 10; step++) updated<<<grid, block, 0, stream>>>(x, y, z, step * 0.5, 1.0, n);
}

__global__ void inColumns(int m, int n, int depth, const __half *a, int lda, const __half *b, int ldb, __half *c, int ldc) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  __half sum = __float2half(0.0f);
  for (int k = 0; k < depth; k++) sum += a[k * lda + row] * b[column * ldb + k];
//                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  c[column * ldc + row] += sum;
}

void twice(const __half *a, const __half *b, __half *c, int m, int n, int depth) {
  const dim3 block(32, 4);
  inColumns<<<dim3((m - 1) / 32 + 1, n / 4 + 1), block>>>(m, n, depth, a, m, b, depth, c, m);
  inColumns<<<dim3((m - 1) / 32 + 1, n / 4 + 1), block>>>(m, n, depth, a, m, b + depth * n, depth, c, m);
}
