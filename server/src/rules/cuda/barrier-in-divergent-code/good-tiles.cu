// A tile of a block meets on its own: the rest of the block need not come.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void settle(float *values, cg::thread_group tile) {
  const int t = threadIdx.x;
  const float next = values[(t + 1) % 16];
  cg::sync(tile);
  values[t] += next;
  cg::sync(tile);
}

__global__ void firstTile(float *out) {
  __shared__ float values[16];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, 16);
  if (threadIdx.x < 16) {
    values[threadIdx.x] = out[blockIdx.x * 16 + threadIdx.x];
    cg::sync(tile);
    settle(values, tile);
    out[blockIdx.x * 16 + threadIdx.x] = values[threadIdx.x];
  }
}

__global__ void firstWarp(float *out) {
  __shared__ float values[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  values[threadIdx.x] = out[blockIdx.x * 128 + threadIdx.x];
  cg::sync(block);
  if (threadIdx.x / 32 == 0) {
    values[threadIdx.x] += values[threadIdx.x + 32];
    cg::sync(warp);
    out[blockIdx.x * 32 + threadIdx.x] = values[31 - threadIdx.x];
  }
}

void launch(float *out) {
  firstTile<<<1000, 64>>>(out);
  firstWarp<<<1000, 128>>>(out);
}
