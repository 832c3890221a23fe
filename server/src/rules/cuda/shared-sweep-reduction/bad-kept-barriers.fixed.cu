// Barriers that stay: the sums of the warps are used again in a loop, another name leads into the array.
__global__ void rows(const float *in, float *sums, int n) {
  __shared__ float partial[256];
  for (int row = 0; row < n; row++) {
    partial[threadIdx.x] = in[row * 256 + threadIdx.x];
    __syncthreads();
    {
      __shared__ float warpTotals[32];
      float total = partial[threadIdx.x];
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
      __syncthreads();
      if (threadIdx.x < 32) {
        total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : 0.0f;
        for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
        if (threadIdx.x == 0) partial[0] = total;
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) sums[row] = partial[0];
  }
}

__global__ void ladders(const float *in, float *sums, int n) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  for (int row = 0; row < n; row++) {
    partial[t] = in[row * 256 + t];
    __syncthreads();
    {
      __shared__ float warpTotals[32];
      float total = partial[t];
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (t % 32 == 0) warpTotals[t / 32] = total;
      __syncthreads();
      if (t < 32) {
        total = t < blockDim.x / 32 ? warpTotals[t] : 0.0f;
        for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
        if (t == 0) partial[0] = total;
      }
      __syncthreads();
    }
    if (t == 0) sums[row] = partial[0];
  }
}

__device__ float firstOfBlock() {
  extern __shared__ float values[];
  return values[0];
}

// Thread 1 reads the total by another name, here and in what is called.
__global__ void dynamic(const float *in, float *sums) {
  extern __shared__ float row[];
  row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  {
    __shared__ float warpTotals[32];
    float total = row[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
      total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : 0.0f;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (threadIdx.x == 0) row[0] = total;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = row[0];
  if (threadIdx.x == 1) sums[gridDim.x + blockIdx.x] = firstOfBlock();
}

__global__ void twice(const float *in, float *sums) {
  extern __shared__ float row[];
  extern __shared__ float again[];
  row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  {
    __shared__ float warpTotals[32];
    float total = row[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
      total = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : 0.0f;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (threadIdx.x == 0) row[0] = total;
    }
    __syncthreads();
  }
  if (threadIdx.x == 1) sums[blockIdx.x] = again[0];
}

void run(const float *in, float *sums, int n) {
  rows<<<4096, 256>>>(in, sums, n);
  ladders<<<4096, 256>>>(in, sums, n);
  dynamic<<<4096, 256, 256 * sizeof(float)>>>(in, sums);
  twice<<<4096, 256, 256 * sizeof(float)>>>(in, sums);
}
