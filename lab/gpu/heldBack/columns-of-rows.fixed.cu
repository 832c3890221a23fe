// A sum of each row of 4,096 rows of bytes, a row to a thread.
#include "../fixes/timing.cuh"

__global__ void sums(const unsigned char *in, unsigned *out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  unsigned sum = 0;
  for (int c = lane; c < columns; c += 32) sum += in[row * columns + c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) out[row] = sum;
}

int main() {
  const int rows = 131072, columns = 1024;
  const unsigned char *in = reinterpret_cast<const unsigned char *>(numbers(size_t(rows) * columns / 4));
  float *out = numbers(rows);
  return timed([&] { sums<<<rows / 8, 256>>>(in, reinterpret_cast<unsigned *>(out), rows, columns); }, out, 0);
}
