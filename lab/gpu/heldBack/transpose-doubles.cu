// A transpose of doubles that writes down columns.
#include "../fixes/timing.cuh"

__global__ void transpose(const double *in, double *out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

int main() {
  const int width = 4096, height = 4096;
  const float *in = numbers(size_t(width) * height * 2);
  float *out = numbers(size_t(width) * height * 2);
  dim3 block(32, 8), grid(width / 32, height / 8);
  return timed([&] {
    transpose<<<grid, block>>>(reinterpret_cast<const double *>(in), reinterpret_cast<double *>(out), width, height);
  }, out, size_t(width) * height * 2);
}
