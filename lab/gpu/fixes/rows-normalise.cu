// Each thread takes the mean and the variance of its row and writes the row normalised; the block comes at run time.
#include "timing.cuh"

__global__ void normalise(const float *in, float *out, float *means, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    const float *x = in + row * columns;
    float mean = 0.0f;
    for (int c = 0; c < columns; c++) mean += x[c];
    mean = mean / columns;
    float variance = 0.0f;
    for (int c = 0; c < columns; c++) {
      float away = x[c] - mean;
      variance += away * away;
    }
    const float scale = 1.0f / sqrtf(variance / columns + 1e-5f);
    float *y = out + row * columns;
    for (int c = 0; c < columns; c++) y[c] = (x[c] - mean) * scale;
    means[row] = mean;
  }
}

int main(int argc, char **argv) {
  const int rows = 65536, columns = 768, threads = argc > 1 ? atoi(argv[1]) : 128;
  const float *in = numbers(size_t(rows) * columns);
  float *out = numbers(size_t(rows) * columns), *means = numbers(rows);
  return timed([&] { normalise<<<(rows + threads - 1) / threads, threads>>>(in, out, means, rows, columns); }, out,
               size_t(rows) * columns);
}
