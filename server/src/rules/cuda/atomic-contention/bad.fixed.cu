// Sums that all lanes of a warp add to one place.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
__global__ void total(const float *x, const double *d, float *sum, double *ofBlock, unsigned long long *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {
    const auto lanes = cooperative_groups::coalesced_threads();
    float part = x[i];
    part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
    if (lanes.thread_rank() == 0) atomicAdd(sum, part);
    double part2 = d[i];
    part2 = cooperative_groups::reduce(lanes, part2, cooperative_groups::plus<double>());
    if (lanes.thread_rank() == 0) atomicAdd(&ofBlock[blockIdx.x], part2);
    unsigned long long part3 = (unsigned long long)i;
    part3 = cooperative_groups::reduce(lanes, part3, cooperative_groups::plus<unsigned long long>());
    if (lanes.thread_rank() == 0) atomicAdd(count, part3);
  }
}

__global__ void inShared(const float *x, float *sums, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const auto lanes = cooperative_groups::coalesced_threads();
    float part = x[i];
    part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
    if (lanes.thread_rank() == 0) atomicAdd(&sum, part);
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void run(const float *x, const double *d, float *sum, double *ofBlock, unsigned long long *count, int n) {
  total<<<(n + 255) / 256, 256>>>(x, d, sum, ofBlock, count, n);
  inShared<<<(n + 255) / 256, 256>>>(x, sum, n);
}
