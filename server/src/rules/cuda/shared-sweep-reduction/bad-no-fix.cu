// Reductions that are found, but for which no fix can be offered.

// Threads beyond the end have left.
__global__ void leftEarly(const int *in, int *out, int n) {
  __shared__ int cache[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cache[threadIdx.x] = 0;
  if (i >= n) return;
  cache[threadIdx.x] = in[i];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

// A vector is no type for a shuffle.
__global__ void vectors(const float2 *in, float2 *out) {
  __shared__ float pairs[64][2];
  __shared__ bool any[64];
  int t = threadIdx.x;
  any[t] = in[t].x > 0;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < s) any[t] = any[t] | any[t + s];
    __syncthreads();
  }
  if (t == 0) out->x = any[0] ? pairs[0][0] : 0;
}

// Where it starts hangs on an argument.
__global__ void fromArgument(const int *in, int *out, int half) {
  __shared__ int cache[256];
  cache[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int s = half / 2; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (threadIdx.x < s) cache[threadIdx.x] = min(cache[threadIdx.x], cache[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = cache[0];
}

// No launch gives the block.
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

void run(int *values, int n, float2 *pairs, int half) {
  leftEarly<<<(n + 127) / 128, 128>>>(values, values + n, n);
  vectors<<<1, 64>>>(pairs, pairs + 64);
  fromArgument<<<1, 256>>>(values, values + n, half);
}

void run(const double *in, double *means, int rows, int width, int threads) {
  rowMeans<<<rows, threads, threads * sizeof(double)>>>(in, means, width, threads);
}
