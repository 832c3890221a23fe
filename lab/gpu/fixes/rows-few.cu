// A matrix times a vector, few rows of 1,024, one to a thread.
#include "timing.cuh"

__global__ void multiply(const float *matrix, const float *vec, float *product, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float total = 0.0f;
  for (int c = 0; c < columns; c++) total += matrix[row * columns + c] * vec[c];
  product[row] = total;
}

int main() {
  const int rows = 4096, columns = 1024;
  const float *matrix = numbers(size_t(rows) * columns), *vec = numbers(columns);
  float *product = numbers(rows);
  return timed([&] { multiply<<<(rows + 255) / 256, 256>>>(matrix, vec, product, rows, columns); }, product, rows);
}
