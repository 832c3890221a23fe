// fix: One atomic per warp
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

__global__ void sums(const float *x, float *sum, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) // one each
	{
		const auto lanes = cooperative_groups::coalesced_threads();
		float part = x[i];
		part = cooperative_groups::reduce(lanes, part, cooperative_groups::plus<float>());
		if (lanes.thread_rank() == 0) atomicAdd(sum, part);
	}
	else
		sum[1] = 0.0f;
}

void run(const float *x, float *sum, int n)
{
	sums<<<(n + 255) / 256, 256>>>(x, sum, n);
}
