// Tiles of 32 by 32 in blocks of 1,024, read down their columns.
#include "../fixes/timing.cuh"

__global__ void turn(const float *in, float *out) {
  __shared__ float tile[32][32];
  const float *from = in + blockIdx.x * 1024;
  float *to = out + blockIdx.x * 1024;
  tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  to[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + tile[threadIdx.y][threadIdx.x];
}

int main() {
  const int tiles = 32768;
  const float *in = numbers(size_t(tiles) * 1024);
  float *out = numbers(size_t(tiles) * 1024);
  return timed([&] { turn<<<tiles, dim3(32, 32)>>>(in, out); }, out, size_t(tiles) * 1024);
}
