// A matrix times a vector, a row of 64 to a thread.
#include "timing.cuh"

__global__ void multiply(const float *matrix, const float *vec, float *product, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float total = 0.0f;
  for (int c = 0; c < columns; c++) total += matrix[row * columns + c] * vec[c];
  product[row] = total;
}

int main() {
  const int rows = 1048576, columns = 64;
  const float *matrix = numbers(size_t(rows) * columns), *vec = numbers(columns);
  float *product = numbers(rows);
  return timed([&] { multiply<<<(rows + 255) / 256, 256>>>(matrix, vec, product, rows, columns); }, product, rows);
}
