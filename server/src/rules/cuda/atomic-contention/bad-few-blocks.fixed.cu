// Lanes that add to one place: a matter of warning in a kernel of many blocks, and none in a kernel of one.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
__global__ void norm(const float *x, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const auto lanes = cooperative_groups::coalesced_threads();
    float part = x[i] * x[i];
    part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
    if (lanes.thread_rank() == 0) atomicAdd(sum, part);
  }
}

__global__ void normOfSmall(const float *x, float *total) {
  const int i = threadIdx.x;
  {
    const auto lanes = cooperative_groups::coalesced_threads();
    float part = 0.5f * x[i];
    part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
    if (lanes.thread_rank() == 0) atomicAdd(total, part);
  }
}

void run(const float *x, float *sum, float *total, int n) {
  norm<<<(n + 255) / 256, 256>>>(x, sum, n);
  normOfSmall<<<1, 64>>>(x, total);
}
