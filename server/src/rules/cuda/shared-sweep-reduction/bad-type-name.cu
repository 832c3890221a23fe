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
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }
  if (tid == 0) sums[blockIdx.x] = partial[0];
}

void run(const REAL *in, REAL *sums) { blockSums<<<1000, 256>>>(in, sums); }
