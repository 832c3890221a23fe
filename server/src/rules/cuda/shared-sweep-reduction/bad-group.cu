// The barrier is a group's: the group stays in use.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sumBlock(const unsigned long long *in, unsigned long long *out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ unsigned long long row[256];
  row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (unsigned int stride = 128; stride > 0; stride >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    cg::sync(block);
    if (threadIdx.x < stride) row[threadIdx.x] += row[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = row[0];
}

void run(const unsigned long long *in, unsigned long long *out) { sumBlock<<<64, 256>>>(in, out); }
