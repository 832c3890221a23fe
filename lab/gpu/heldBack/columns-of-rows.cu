// A sum of each row of 4,096 rows of bytes, a row to a thread.
#include "../fixes/timing.cuh"

__global__ void sums(const unsigned char *in, unsigned *out, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned sum = 0;
  for (int c = 0; c < columns; c++) sum += in[row * columns + c];
  out[row] = sum;
}

int main() {
  const int rows = 131072, columns = 1024;
  const unsigned char *in = reinterpret_cast<const unsigned char *>(numbers(size_t(rows) * columns / 4));
  float *out = numbers(rows);
  return timed([&] { sums<<<rows / 256, 256>>>(in, reinterpret_cast<unsigned *>(out), rows, columns); }, out, 0);
}
