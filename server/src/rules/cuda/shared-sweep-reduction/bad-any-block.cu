// Reductions over blocks whose size no launch in sight fixes: the sweep is kept for those that are no power of two.

// No launch in sight.
__global__ void unknownBlock(const float *in, float *out) {
  extern __shared__ float shared[];
  shared[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
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
  for (int half = size / 2; half >= 1; half /= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) means[blockIdx.x] = sums[0] / width;
}

void run(const double *in, double *means, int rows, int width, int threads) {
  rowMeans<<<rows, threads, threads * sizeof(double)>>>(in, means, width, threads);
}
