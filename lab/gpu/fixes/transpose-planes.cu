// A transpose in blocks of 32 by 8 that run time gives.
#include "timing.cuh"

__global__ void transpose(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

int main(int argc, char **) {
  const int width = 8192, height = 4096;
  const float *in = numbers(size_t(width) * height);
  float *out = numbers(size_t(width) * height);
  int across = 31 + argc, down = 7 + argc;
  dim3 block(across, down);
  dim3 grid((width + across - 1) / across, (height + down - 1) / down);
  return timed([&] { transpose<<<grid, block>>>(in, out, width, height); }, out, size_t(width) * height);
}
