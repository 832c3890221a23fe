// Counters of all blocks, which the block keeps in shared memory: behind a guard by which threads leave, in a loop, in
// blocks of two axes, an array of the file.
__device__ unsigned largest[2];

__global__ void most(const int *x, int *maximum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int ofBlock;
  if (threadIdx.x == 0) ofBlock = (-0x7fffffff - 1);
  __syncthreads();
  if (i < n) {
    // Only what is positive.
    const int own = x[i];
    if (own > 0)
      atomicMax(&ofBlock, own);
  }
  __syncthreads();
  if (threadIdx.x == 0 && ofBlock != (-0x7fffffff - 1)) atomicMax(maximum, ofBlock);
}

__global__ void loop(const float *x, unsigned *count, int level, int n) {
  __shared__ unsigned int ofBlock;
  if (threadIdx.x == 0) ofBlock = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > 0.5f) atomicAdd(&ofBlock, 1u);
  __syncthreads();
  if (threadIdx.x == 0 && ofBlock != 0) atomicAdd(&count[level], ofBlock);
}

__global__ void plane(const unsigned *x, int width) {
  const unsigned own = x[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x];
  __shared__ unsigned int ofBlock;
  if (threadIdx.x + threadIdx.y == 0) ofBlock = 0;
  __syncthreads();
  atomicAdd(&ofBlock, own);
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0 && ofBlock != 0) atomicSub(largest + 1, ofBlock);
}

void run(const int *x, const float *y, const unsigned *z, int *maximum, unsigned *count, int level, int n) {
  most<<<(n + 255) / 256, 256>>>(x, maximum, n);
  loop<<<264, 256>>>(y, count, level, n);
  plane<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(z, n);
}
