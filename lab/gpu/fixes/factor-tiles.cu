// Factorises 32 × 32 tiles of a matrix, a warp for each, with sums that stay in shared memory.
#include "timing.cuh"

const int side = 32;

__global__ void factor(float *matrix) {
  __shared__ float tile[side][side + 1];
  float *m = matrix + size_t(blockIdx.x) * side * side;
  int i, j;
  for (i = 0; i < side; i++) tile[i][threadIdx.x] = m[i * side + threadIdx.x];
  tile[threadIdx.x][threadIdx.x] += 40.0f;
  __syncthreads();
  for (i = 0; i < side - 1; i++) {
    if (threadIdx.x > i) {
      for (j = 0; j < i; j++) tile[threadIdx.x][i] -= tile[threadIdx.x][j] * tile[j][i];
      tile[threadIdx.x][i] /= tile[i][i];
    }
    __syncthreads();
    if (threadIdx.x > i) {
      for (j = 0; j < i + 1; j++) tile[i + 1][threadIdx.x] -= tile[i + 1][j] * tile[j][threadIdx.x];
    }
    __syncthreads();
  }
  for (i = 0; i < side; i++) m[i * side + threadIdx.x] = tile[i][threadIdx.x];
}

int main() {
  const int tiles = 132;
  float *matrix = numbers(size_t(tiles) * side * side);
  return timed([&] { factor<<<tiles, side>>>(matrix); }, matrix, tiles * side * side);
}
