// Warp primitives whose mask is that of the lanes that are there, and whole warps that part.
__global__ void counted(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    int v = in[i];
    v += __shfl_xor_sync(mask, v, 1);
    out[i] = v;
  }
}

__global__ void firstWarp(const float *in, float *sums) {
  __shared__ float part[8];
  float v = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
    for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = v;
  }
}

void launch(const int *in, int *out, const float *values, float *sums, int n) {
  counted<<<(n + 255) / 256, 256>>>(in, out, n);
  firstWarp<<<64, 256>>>(values, sums);
}
