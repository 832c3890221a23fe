// What stands around: a loop, an arm without braces, a header that is included under a condition.
#ifdef USE_HALF
#include <cuda_fp16.h>
#endif
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

__global__ void columns(const float *x, float *sums, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 8; k++)
    if (k % 2 == 0) {
      const auto lanes = cooperative_groups::coalesced_threads();
      float part = x[i] * k;
      part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
      if (lanes.thread_rank() == 0) atomicAdd(sums + k, part);
    } else sums[k] = 0;
  if (x[i] > 0.5f) {
    const auto lanes = cooperative_groups::coalesced_threads();
    float part = 1;
    part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
    if (lanes.thread_rank() == 0) atomicAdd(total, part);
  }
}

void run(const float *x, float *sums, float *total, int n) { columns<<<(n + 255) / 256, 256>>>(x, sums, total, n); }
