// Reductions over blocks whose size no launch in sight fixes: the sweep is kept for those that are no power of two.

// No launch in sight.
__global__ void unknownBlock(const float *in, float *out) {
  extern __shared__ float shared[];
  shared[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (blockDim.x >= 32 && (blockDim.x & (blockDim.x - 1)) == 0 && blockDim.y == 1 && blockDim.z == 1) {
    __shared__ float warpTotals[32];
    float total = shared[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
      total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : 0.0f;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (threadIdx.x == 0) shared[0] = total;
    }
    __syncthreads();
  } else {
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
      if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) atomicAdd(out, shared[0]);
}

// The block is an argument, too; the total is taken from a register of every thread.
__global__ void rowMeans(const double *in, double *means, int width, int size) {
  extern __shared__ double sums[];
  const int t = threadIdx.x;
  double own = 0.0;
  for (int c = t; c < width; c += size) own += in[blockIdx.x * width + c];
  sums[t] = own;
  __syncthreads();
  if (blockDim.x >= 32 && (blockDim.x & (blockDim.x - 1)) == 0 && size == blockDim.x) {
    __shared__ double warpTotals[32];
    double total = sums[t];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (t % 32 == 0) warpTotals[t / 32] = total;
    __syncthreads();
    if (t < 32) {
      total = t < blockDim.x / 32 ? warpTotals[t] : 0.0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (t == 0) sums[0] = total;
    }
    __syncthreads();
  } else {
    for (int half = size / 2; half >= 1; half /= 2) {
      if (t < half) sums[t] += sums[t + half];
      __syncthreads();
    }
  }
  if (t == 0) means[blockIdx.x] = sums[0] / width;
}

void run(const double *in, double *means, int rows, int width, int threads) {
  rowMeans<<<rows, threads, threads * sizeof(double)>>>(in, means, width, threads);
}
