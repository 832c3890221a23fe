// A matrix product whose elements are kept in memory through the loop, which may not run.
#include "timing.cuh"

__global__ void product(const float *a, const float *b, float *c, int n, int inner) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= n) return;
  for (int k = 0; k < inner; k++) c[row * n + column] += a[row * inner + k] * b[k * n + column];
}

int main() {
  const int n = 1024;
  const float *a = numbers(size_t(n) * n), *b = numbers(size_t(n) * n);
  float *c = numbers(size_t(n) * n);
  return timed([&] { product<<<dim3(n / 256, n), 256>>>(a, b, c, n, n); }, c, size_t(n) * n);
}
