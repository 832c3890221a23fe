// Barriers that stay: the sums of the warps are used again in a loop, another name leads into the array.
__global__ void rows(const float *in, float *sums, int n) {
  __shared__ float partial[256];
  for (int row = 0; row < n; row++) {
    partial[threadIdx.x] = in[row * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
      if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
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
    if (blockDim.x >= 512 && t < 256) partial[t] += partial[t + 256];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unrolled-sweep
    __syncthreads();
    if (blockDim.x >= 256 && t < 128) partial[t] += partial[t + 128];
    __syncthreads();
    if (t < 64) partial[t] += partial[t + 64];
    __syncthreads();
    if (t < 32) {
      volatile float *v = partial;
      v[t] += v[t + 32];
      v[t] += v[t + 16];
      v[t] += v[t + 8];
      v[t] += v[t + 4];
      v[t] += v[t + 2];
      v[t] += v[t + 1];
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
  for (int s = 128; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (threadIdx.x < s) row[threadIdx.x] += row[threadIdx.x + s];
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
  for (int s = 128; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (threadIdx.x < s) row[threadIdx.x] += row[threadIdx.x + s];
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
