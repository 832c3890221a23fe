// The sum of each of 16,384 columns, in blocks of 512 threads: 32 blocks.
#include "timing.cuh"

__global__ void sums(const float *matrix, float *sum, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float total = 0.0f;
  for (int row = 0; row < rows; row++) total += matrix[row * columns + column];
  sum[column] = total;
}

int main(int argc, char **) {
  const int rows = 1000, columns = 16383 + argc;
  const int threads = 512;
  const float *matrix = numbers(size_t(rows) * columns);
  float *sum = numbers(columns);
  return timed([&] { sums<<<(columns + threads - 1) / threads, threads>>>(matrix, sum, rows, columns); }, sum, columns);
}
