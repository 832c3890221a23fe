// A declaration that opens its block and goes, and a loop that is indented otherwise than the function.
__global__ void blockSums(const float *in, float *sums, int n) {
     __shared__ float partial[256];
     int tid = threadIdx.x;
     partial[tid] = tid < n ? in[blockIdx.x * 256 + tid] : 0.0f;
     __syncthreads();
     for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
//   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
        if (tid < s) partial[tid] += partial[tid + s];
        __syncthreads();
     }
     if (tid == 0) sums[blockIdx.x] = partial[0];
}

__device__ void largest(int *best, int tid) {
  int stride = blockDim.x / 2;

  for (; stride >= 1; stride /= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (tid < stride)
      if (best[tid] < best[tid + stride]) best[tid] = best[tid + stride];
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
