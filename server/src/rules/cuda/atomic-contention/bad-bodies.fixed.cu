// The only statement of a block takes no further braces, and the body of a condition takes those of the condition.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
__global__ void sums(const float *x, float *sum, int n, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const auto lanes = cooperative_groups::coalesced_threads();
        float part = x[i];
        part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
        if (lanes.thread_rank() == 0) atomicAdd(sum, part);
    }
    if (which > 0 && i < n) {
        const auto lanes = cooperative_groups::coalesced_threads();
        float part = x[i];
        part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
        if (lanes.thread_rank() == 0) atomicAdd(sum + 1, part);
    } else if (i < n) { // the rest
        const auto lanes = cooperative_groups::coalesced_threads();
        float part = x[i];
        part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
        if (lanes.thread_rank() == 0) atomicAdd(sum + 2, part);
    }
}

__global__ void positives(const float *x, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int ofBlock;
    if (threadIdx.x == 0) ofBlock = 0;
    __syncthreads();
    // Only those that are there.
    for (; i < n; i += gridDim.x * blockDim.x)
        if (x[i] > 0) atomicAdd(&ofBlock, 1);
    __syncthreads();
    if (threadIdx.x == 0 && ofBlock != 0) atomicAdd(count, ofBlock);
}

void launch(float *x, float *sum, int *count, int n, int which) {
    sums<<<(n + 255) / 256, 256>>>(x, sum, n, which);
    positives<<<1024, 256>>>(x, count, n);
}
