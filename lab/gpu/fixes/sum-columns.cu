// The sum of each column of 256 rows, kept in memory from row to row.
#include "timing.cuh"

__global__ void sums(const float *matrix, float *sum, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  sum[column] = 0.0f;
  for (int row = 0; row < rows; row++) sum[column] += matrix[row * columns + column];
}

int main() {
  const int rows = 256, columns = 262144;
  const float *matrix = numbers(size_t(rows) * columns);
  float *sum = numbers(columns);
  return timed([&] { sums<<<(columns + 255) / 256, 256>>>(matrix, sum, rows, columns); }, sum, columns);
}
