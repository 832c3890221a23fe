// A matrix of 2,000 rows of 2,000 times a vector.
#include "../fixes/timing.cuh"

__global__ void multiply(const float *matrix, const float *vec, float *product, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float total = 0;
  for (int c = 0; c < n; c++) total += matrix[row * n + c] * vec[c];
  product[row] = total;
}

int main() {
  const int n = 2000;
  const float *matrix = numbers(size_t(n) * n), *vec = numbers(n);
  float *product = numbers(n);
  return timed([&] { multiply<<<(n + 127) / 128, 128>>>(matrix, vec, product, n); }, product, n);
}
