// Numbers in sight part the threads, and those that do not enter have nothing left to do: since Volta they count as
// arrived. A return behind the guard changes nothing.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void firstRow(const float *in, float *out) {
  __shared__ float staged[32];
  const int place = blockIdx.x * 32 + threadIdx.x;
  const bool inside = threadIdx.y == 0;
  if (inside) {
    staged[threadIdx.x] = in[place];
  }
  __syncthreads();
  if (inside) {
    out[place] = staged[31 - threadIdx.x];
  }
}

__global__ void firstRowReturns(const float *in, float *out) {
  __shared__ float staged[32];
  const int place = blockIdx.x * 32 + threadIdx.x;
  const bool inside = threadIdx.y == 0;
  if (inside) {
    staged[threadIdx.x] = in[place];
  }
  __syncthreads();
  if (inside) {
    out[place] = staged[31 - threadIdx.x];
  }
  return;
}

// The same guard in each iteration: the other rows come to the next barrier before the first one.
__global__ void eachTurn(const float *in, float *out, int rows) {
  __shared__ float staged[32];
  for (int row = 0; row < rows; row++) {
    const int place = (blockIdx.x * rows + row) * 32 + threadIdx.x;
    if (threadIdx.y == 0) {
      staged[threadIdx.x] = in[place];
      __syncthreads();
//    ^^^^^^^^^^^^^^^ block-barrier error
      out[place] = staged[31 - threadIdx.x];
    }
  }
}

// Blocks wait for each other through one thread of each, which must be there.
__global__ void allBlocks(const float *in, float *out) {
  cg::grid_group grid = cg::this_grid();
  const int place = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.y == 1) {
    out[place] = in[place];
    grid.sync();
//  ^^^^^^^^^^^ block-barrier error
    out[place] += out[31 - threadIdx.x];
  }
}

void run(const float *in, float *out, int rows) {
  firstRow<<<640, dim3(32, 8)>>>(in, out);
  firstRowReturns<<<640, dim3(32, 8)>>>(in, out);
  eachTurn<<<64, dim3(32, 8)>>>(in, out, rows);
  allBlocks<<<64, dim3(32, 8)>>>(in, out);
}
