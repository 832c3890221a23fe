// One sum for each row of a block, and blocks that are no whole number of warps.
__global__ void rows(const float *in, float *out) {
  __shared__ float a[8][32];
  a[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  for (int s = 16; s > 0; s >>= 1) {
    if (threadIdx.x < s) a[threadIdx.y][threadIdx.x] += a[threadIdx.y][threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[threadIdx.y] = a[threadIdx.y][0];
}

__global__ void ragged(const int *in, int *out) {
  __shared__ int a[48];
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  for (int s = 24; s > 0; s >>= 1) {
    if (t < s) a[t] += a[t + s];
    __syncthreads();
  }
  if (t == 0) *out = a[0];
}

// 96 threads halve to 3: the sweep drops an element, and a shuffle would not.
__global__ void notAPower(const int *in, int *out) {
  __shared__ int a[96];
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) a[t] += a[t + s];
    __syncthreads();
  }
  if (t == 0) *out = a[0];
}

void run(float *in, float *out, int *values) {
  rows<<<1, dim3(32, 8)>>>(in, out);
  ragged<<<1, 48>>>(values, values + 48);
  notAPower<<<1, 96>>>(values, values + 96);
}
