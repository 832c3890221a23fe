// A transpose of doubles that writes down columns.
#include "../fixes/timing.cuh"

__global__ void transpose(const double *in, double *out, int width, int height) {
  __shared__ double tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int width = 4096, height = 4096;
  const float *in = numbers(size_t(width) * height * 2);
  float *out = numbers(size_t(width) * height * 2);
  dim3 block(32, 8), grid(width / 32, height / 32);
  return timed([&] {
    transpose<<<grid, block>>>(reinterpret_cast<const double *>(in), reinterpret_cast<double *>(out), width, height);
  }, out, size_t(width) * height * 2);
}
