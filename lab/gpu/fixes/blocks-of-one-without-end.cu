// Blocks of one thread of a kernel that nothing ends.
#include "timing.cuh"

__global__ void settle(const float *in, float *out, int terms) {
  const int row = blockIdx.x;
  float value = in[row];
  for (int term = 0; term < terms; term++) value = value * 0.5f + 1.0f;
  out[row] = value;
}

int main() {
  const int rows = 1000003;
  const float *in = numbers(rows);
  float *out = numbers(rows);
  return timed([&] { settle<<<rows, 1>>>(in, out, 16); }, out, rows);
}
