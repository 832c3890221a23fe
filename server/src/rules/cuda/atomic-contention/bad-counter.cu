// Counters of all blocks, which the block keeps in shared memory: behind a guard by which threads leave, in a loop, in
// blocks of two axes, an array of the file.
__device__ unsigned largest[2];

__global__ void most(const int *x, int *maximum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Only what is positive.
  const int own = x[i];
  if (own > 0)
    atomicMax(maximum, own);
//            ^^^^^^^ counter hint
}

__global__ void loop(const float *x, unsigned *count, int level, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > 0.5f) atomicAdd(&count[level], 1u);
//                              ^^^^^^^^^^^^ counter hint
}

__global__ void plane(const unsigned *x, int width) {
  const unsigned own = x[(blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x];
  atomicSub(largest + 1, own);
//          ^^^^^^^^^^^ counter warning
}

void run(const int *x, const float *y, const unsigned *z, int *maximum, unsigned *count, int level, int n) {
  most<<<(n + 255) / 256, 256>>>(x, maximum, n);
  loop<<<264, 256>>>(y, count, level, n);
  plane<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(z, n);
}
