// Masks that name the lanes that come, and masks that unknown numbers or data decide.
__global__ void groups(const float *in, float *out) {
  int lane = threadIdx.x % 32;
  unsigned mask = 0xffu << (lane / 8 * 8);
  float v = in[blockIdx.x * 64 + threadIdx.x];
  for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(mask, v, d, 8);
  out[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void firstHalf(const float *in, float *out) {
  int t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  if (t < 16) {
    for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffff, v, d);
    __syncwarp(0xffff);
    if (t == 0) out[blockIdx.x] = v;
  }
}

__global__ void bothHalves(const float *in, float *out) {
  int lane = threadIdx.x % 32;
  float v = in[blockIdx.x * 64 + threadIdx.x];
  if (lane < 16) v += __shfl_sync(0x0000ffff, v, 3);
  else v += __shfl_sync(0xffff0000, v, 19);
  out[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void ended(const float *in, float *out) {
  int t = threadIdx.x;
  if (t >= 24) return;
  float v = in[t];
  v += __shfl_xor_sync(0x00ffffff, v, 1);
  __syncwarp(0x0fffffff);
  out[t] = v;
}

__global__ void opened(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __activemask();
  float v = in[i];
  if (v > 0.0f) v += __shfl_sync(active, v, 0);
  if (i < n) v += __shfl_xor_sync(0xffff, v, 1);
  if (threadIdx.x < n) v += __shfl_xor_sync(0xff, v, 1);
  out[i] = v;
}

template <int WIDTH>
__global__ void rows(const float *in, float *out) {
  const unsigned mask = WIDTH == 32 ? 0xffffffff : (1u << WIDTH) - 1;
  float v = in[blockIdx.x * WIDTH + threadIdx.x];
  for (int d = WIDTH / 2; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, WIDTH);
  out[blockIdx.x * WIDTH + threadIdx.x] = v;
}

__global__ void warpsOfBlock(const float *in, float *out) {
  __shared__ float part[2];
  float v = in[threadIdx.x];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 2) {
    v = part[threadIdx.x];
    v += __shfl_down_sync(0x3, v, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

void launch(const float *in, float *out, int n) {
  groups<<<16, 64>>>(in, out);
  firstHalf<<<16, 64>>>(in, out);
  bothHalves<<<16, 64>>>(in, out);
  ended<<<1, 32>>>(in, out);
  opened<<<16, 64>>>(in, out, n);
  rows<16><<<16, 16>>>(in, out);
  rows<32><<<16, 32>>>(in, out);
  warpsOfBlock<<<16, 64>>>(in, out);
}
