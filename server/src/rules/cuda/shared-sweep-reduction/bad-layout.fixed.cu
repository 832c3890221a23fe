// A declaration that opens its block and goes, and a loop that is indented otherwise than the function.
__global__ void blockSums(const float *in, float *sums, int n) {
     __shared__ float partial[256];
     int tid = threadIdx.x;
     partial[tid] = tid < n ? in[blockIdx.x * 256 + tid] : 0.0f;
     {
        __shared__ float warpTotals[32];
        float total = partial[tid];
        for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
        if (tid % 32 == 0) warpTotals[tid / 32] = total;
        __syncthreads();
        if (tid < 32) {
           total = tid < blockDim.x / 32 ? warpTotals[tid] : 0.0f;
           for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
           if (tid == 0) partial[0] = total;
        }
     }
     if (tid == 0) sums[blockIdx.x] = partial[0];
}

__device__ void largest(int *best, int tid) {
  {
    __shared__ int warpTotals[32];
    int total = best[tid];
    for (int offset = 16; offset > 0; offset >>= 1) {
      const int other = __shfl_down_sync(0xffffffff, total, offset);
      if (other > total) total = other;
    }
    if (tid % 32 == 0) warpTotals[tid / 32] = total;
    __syncthreads();
    if (tid < 32) {
      total = tid < blockDim.x / 32 ? warpTotals[tid] : warpTotals[0];
      for (int offset = 16; offset > 0; offset >>= 1) {
        const int other = __shfl_down_sync(0xffffffff, total, offset);
        if (other > total) total = other;
      }
      if (tid == 0) best[0] = total;
    }
    __syncthreads();
  }
}

__global__ void largestOf(const int *in, int *out) {
  __shared__ int best[256];
  best[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  largest(best, threadIdx.x);
  if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}

void run(const float *in, float *sums, const int *numbers, int *out, int n) {
  blockSums<<<1000, 256>>>(in, sums, n);
  largestOf<<<1000, 256>>>(numbers, out);
}
