// A picture is scaled, its rows along x, in loops over the grid.
#include "timing.cuh"

__global__ void scale(const float *in, float *out, int width, int height) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < height; row += gridDim.x * blockDim.x)
    for (int column = blockIdx.y * blockDim.y + threadIdx.y; column < width; column += gridDim.y * blockDim.y)
      out[row * width + column] = 2.0f * in[row * width + column];
}

int main() {
  const int width = 8192, height = 8192;
  const float *in = numbers(size_t(width) * height);
  float *out = numbers(size_t(width) * height);
  dim3 block(16, 16), grid(128, 128);
  return timed([&] { scale<<<grid, block>>>(in, out, width, height); }, out, size_t(width) * height);
}
