// The barrier is a group's: the group stays in use.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sumBlock(const unsigned long long *in, unsigned long long *out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ unsigned long long row[256];
  row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  {
    __shared__ unsigned long long warpTotals[32];
    unsigned long long total = row[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
    cg::sync(block);
    if (threadIdx.x < 32) {
      total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : 0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (threadIdx.x == 0) row[0] = total;
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = row[0];
}

void run(const unsigned long long *in, unsigned long long *out) { sumBlock<<<64, 256>>>(in, out); }
