// A transposition that writes down columns, in blocks of 16 by 16.
#include "timing.cuh"

__global__ void transpose(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

int main() {
  const int width = 8192, height = 8192;
  const float *in = numbers(size_t(width) * height);
  float *out = numbers(size_t(width) * height);
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  return timed([&] { transpose<<<grid, block>>>(in, out, width, height); }, out, size_t(width) * height);
}
