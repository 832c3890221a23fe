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

}  // namespace blocks

void run(const float *in, float *out, const __half *small, __half *sum) {
	dim3 block(8, 8, 4);
	blocks::cube<<<1, block>>>(in, out);
	blocks::halves<<<1, 64>>>(small, sum);
}
