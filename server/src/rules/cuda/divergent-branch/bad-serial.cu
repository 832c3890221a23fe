// A loop of one thread, or of one warp, while the rest of the block waits: at a barrier, at the end, or has returned.
__global__ void rows(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += in[blockIdx.x * n + k];
//                  ^^^^^ serial warning
    out[blockIdx.x] = sum;
  }
}

__global__ void partials(const float *in, float *out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float most = part[0];
    for (int k = 1; k < 256; k++) most = fmaxf(most, part[k]);
//                  ^^^^^^^ serial hint
    part[0] = most;
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x] / part[0];
}

__global__ void returned(const float *in, float *out, int n) {
  if (threadIdx.x > 0) return;
  for (int k = 0; k < n; k++) out[blockIdx.x * n + k] = 2.0f * in[blockIdx.x * n + k];
//                ^^^^^ serial warning
}

__global__ void oneWarp(const float *in, float *out, int n) {
  __shared__ float total;
  if (threadIdx.x < 32) {
    float sum = 0.0f;
    for (int k = threadIdx.x; k < n; k += 32) sum += in[blockIdx.x * n + k];
//                            ^^^^^ serial warning
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) total = sum;
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = total;
}

void launch(const float *in, float *out, int n) {
  rows<<<1024, 256>>>(in, out, n);
  partials<<<1024, 256>>>(in, out);
  returned<<<1024, 128>>>(in, out, n);
  oneWarp<<<1024, 256>>>(in, out, n);
}
