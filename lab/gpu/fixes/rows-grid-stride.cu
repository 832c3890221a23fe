// The greatest element of each row, a row to a thread in a loop over the grid.
#include "timing.cuh"

__global__ void greatest(const float *in, float *out, int rows, int columns) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {
    float best = in[row * columns];
    for (int c = 1; c < columns; c++)
      if (in[row * columns + c] > best) best = in[row * columns + c];
    out[row] = best;
  }
}

int main() {
  const int rows = 262144, columns = 256;
  const float *in = numbers(size_t(rows) * columns);
  float *out = numbers(rows);
  return timed([&] { greatest<<<1024, 256>>>(in, out, rows, columns); }, out, rows);
}
