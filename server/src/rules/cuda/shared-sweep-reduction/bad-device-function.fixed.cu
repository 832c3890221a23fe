// The sweep stands in a device function of a namespace, indented with tabs, for a three-dimensional block.
#include <cuda_fp16.h>

namespace blocks {

	template <class Number>
	__device__ Number add(Number *scratch, int id, Number value) {
		scratch[id] = value;
		__syncthreads();
		{
			__shared__ Number warpTotals[32];
			Number total = scratch[id];
			for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
			if (id % 32 == 0) warpTotals[id / 32] = total;
			__syncthreads();
			if (id < 32) {
				total = id < (blockDim.x * blockDim.y * blockDim.z) / 32 ? warpTotals[id] : (Number)0;
				for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
				if (id == 0) scratch[0] = total;
			}
			__syncthreads();
		}
		return scratch[0];
	}

	__global__ void cube(const float *in, float *out) {
		__shared__ float scratch[256];
		int id = threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
		float total = add(scratch, id, in[id]);
		if (id == 0) *out = total;
	}

	__global__ void halves(const __half *in, __half *out) {
		__shared__ __half h[64];
		h[threadIdx.x] = in[threadIdx.x];
		{
			__shared__ __half warpTotals[32];
			__half total = h[threadIdx.x];
			for (int offset = 16; offset > 0; offset >>= 1) total = __hadd(total, __shfl_down_sync(0xffffffff, total, offset));
			if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
			__syncthreads();
			if (threadIdx.x < 32) {
				total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : (__half)0;
				for (int offset = 16; offset > 0; offset >>= 1) total = __hadd(total, __shfl_down_sync(0xffffffff, total, offset));
				if (threadIdx.x == 0) h[0] = total;
			}
		}
		if (threadIdx.x == 0) *out = h[0];
	}

	// The index has a name that nothing but the sweep uses.
	__device__ void addPairs(float2 *pairs) {
		int id = threadIdx.x;
		{
			__shared__ float warpTotalsX[32];
			__shared__ float warpTotalsY[32];
			float totalX = pairs[id].x;
			float totalY = pairs[id].y;
			for (int offset = 16; offset > 0; offset >>= 1) {
				totalX += __shfl_down_sync(0xffffffff, totalX, offset);
				totalY += __shfl_down_sync(0xffffffff, totalY, offset);
			}
			if (id % 32 == 0) {
				warpTotalsX[id / 32] = totalX;
				warpTotalsY[id / 32] = totalY;
			}
			__syncthreads();
			if (id < 32) {
				totalX = id < blockDim.x / 32 ? warpTotalsX[id] : 0.0f;
				totalY = id < blockDim.x / 32 ? warpTotalsY[id] : 0.0f;
				for (int offset = 16; offset > 0; offset >>= 1) {
					totalX += __shfl_down_sync(0xffffffff, totalX, offset);
					totalY += __shfl_down_sync(0xffffffff, totalY, offset);
				}
				if (id == 0) {
					pairs[0].x = totalX;
					pairs[0].y = totalY;
				}
			}
			__syncthreads();
		}
	}

	__global__ void pairSums(const float2 *in, float2 *out) {
		__shared__ float2 pairs[128];
		pairs[threadIdx.x] = in[threadIdx.x];
		__syncthreads();
		addPairs(pairs);
		if (threadIdx.x == 0) *out = pairs[0];
	}

}  // namespace blocks

void run(const float *in, float *out, const __half *small, __half *sum, const float2 *pairs, float2 *pair) {
	dim3 block(8, 8, 4);
	blocks::cube<<<1, block>>>(in, out);
	blocks::halves<<<1, 64>>>(small, sum);
	blocks::pairSums<<<1, 128>>>(pairs, pair);
}
