// Large blocks, as many as the elements ask for, of threads that have loops to run.
__global__ void sumOfEach(const float *in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < rows; k++) sum += in[k * n + i];
  out[i] = sum;
}

// Blocks in rows, and a sum of the block behind what each thread does.
__global__ void sumOfBlocks(const float *in, float *out, float *sums, int n, int rows) {
  __shared__ float total;
  const int block = blockIdx.x + gridDim.x * blockIdx.y;
  const int i = block * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  if (i < n) {
    float sum = 0.0f;
    for (int k = 0; k < rows; k++) sum += in[k * n + i];
    out[i] = sum;
    atomicAdd(&total, sum);
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[block] = total;
}

void run(const float *in, float *out, float *sums, int n, int rows) {
  const int threads = 128;
  sumOfEach<<<(n + threads - 1) / threads, threads>>>(in, out, n, rows);
  int blocks = (n + 1023) / 1024;
  sumOfBlocks<<<dim3((blocks + 7) / 8, 8), 1024>>>(in, out, sums, n, rows);
//                                         ^^^^ large hint
}
