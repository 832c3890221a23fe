#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>

namespace cg = cooperative_groups;

// Lanes of a warp meet in the sum; the warps do not.
__global__ void sum_of_rows(const float *in, float *out, int rows) {
  __shared__ float sums[8];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int row = 0; row < rows; row++) {
    float sum = cg::reduce(warp, in[row * 256 + threadIdx.x], cg::plus<float>{});
    if (warp.thread_rank() == 0) sums[threadIdx.x / 32] = sum;
    //                           ^^^^^^^^^^^^^^^^^^^^^^ overwritten
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0.0f;
      for (int i = 0; i < 8; i++) total += sums[i];
      out[row] = total;
    }
  }
}

__global__ void two_sums(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  float first = Reduce(storage).Sum(in[threadIdx.x]);
  float second = Reduce(storage).Sum(in[threadIdx.x + 256]);
  //             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ storage-reused
  if (threadIdx.x == 0) out[0] = first + second;
}

__global__ void scan_of_rows(const int *in, int *out, int rows) {
  typedef cub::BlockScan<int, 256> Scan;
  __shared__ Scan::TempStorage storage;
  for (int row = 0; row < rows; row++) {
    int sum;
    Scan(storage).ExclusiveSum(in[row * 256 + threadIdx.x], sum);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ storage-reused
    out[row * 256 + threadIdx.x] = sum;
  }
}

__global__ void beside_warp_sums(const float *in, float *out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage storage[8];
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  float sum = Reduce(storage[threadIdx.x / 32]).Sum(in[threadIdx.x]);
  out[threadIdx.x] = sum + s[255 - threadIdx.x];
  //                       ^^^^^^^^^^^^^^^^^^^^ unseen-write
}

void launch(const float *a, float *b, const int *c, int *d, int rows) {
  sum_of_rows<<<1, 256>>>(a, b, rows);
  two_sums<<<1, 256>>>(a, b);
  scan_of_rows<<<1, 256>>>(c, d, rows);
  beside_warp_sums<<<1, 256>>>(a, b);
}
