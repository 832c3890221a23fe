// The sweep stands in a device function of a namespace, indented with tabs, for a three-dimensional block.
#include <cuda_fp16.h>

namespace blocks {

	template <class Number>
	__device__ Number add(Number *scratch, int id, Number value) {
		scratch[id] = value;
		__syncthreads();
		for (int gap = 256 / 2; gap; gap /= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
			if (id < gap) scratch[id] += scratch[id + gap];
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
		__syncthreads();
		for (int s = 32; s; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
			if (threadIdx.x < s) h[threadIdx.x] = __hadd(h[threadIdx.x], h[threadIdx.x + s]);
			__syncthreads();
		}
		if (threadIdx.x == 0) *out = h[0];
	}

	// The index has a name that nothing but the sweep uses.
	__device__ void addPairs(float2 *pairs) {
		int id = threadIdx.x;
		for (int gap = 64; gap > 0; gap /= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
			if (id < gap) {
				pairs[id].x += pairs[id + gap].x;
				pairs[id].y += pairs[id + gap].y;
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
