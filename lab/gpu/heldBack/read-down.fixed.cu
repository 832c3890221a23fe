// A picture whose rows lie along x is read and written in blocks of 32 by 8.
#include "../fixes/timing.cuh"

__global__ void invert(const float *in, float *out, int width, int height) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < height && column < width) out[row * width + column] = 255.0f - in[row * width + column];
}

int main() {
  const int width = 5000, height = 5000;
  const float *in = numbers(size_t(width) * height);
  float *out = numbers(size_t(width) * height);
  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  return timed([&] { invert<<<grid, block>>>(in, out, width, height); }, out, size_t(width) * height);
}
