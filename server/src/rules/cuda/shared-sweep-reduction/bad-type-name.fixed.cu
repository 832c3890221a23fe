// Sums of a type that a build chooses.
#ifdef USE_DOUBLE
#define REAL double
#else
#define REAL float
#endif

__global__ void blockSums(const REAL *in, REAL *sums) {
  __shared__ REAL partial[256];
  int tid = threadIdx.x;
  partial[tid] = in[blockIdx.x * 256 + tid];
  {
    __shared__ REAL warpTotals[32];
    REAL total = partial[tid];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (tid % 32 == 0) warpTotals[tid / 32] = total;
    __syncthreads();
    if (tid < 32) {
      total = tid < blockDim.x / 32 ? warpTotals[tid] : (REAL)0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (tid == 0) partial[0] = total;
    }
  }
  if (tid == 0) sums[blockIdx.x] = partial[0];
}

void run(const REAL *in, REAL *sums) { blockSums<<<1000, 256>>>(in, sums); }
