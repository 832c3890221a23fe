// No launch in sight fixes the blocks. Where one warp a block, rows of one thread each or more dimensions explain it, nothing is said.
__global__ void oneWarp(const float *in, float *out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 32 + t];
  out[blockIdx.x * 32 + t] = s[31 - t];
  __syncthreads();
  s[t] = 0.0f;
}

__global__ void noBarrier(const float *in, float *out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[t];
  out[t] = s[t ^ 1] + s[t ^ 16];
}

__global__ void rows(const float *in, float *out) {
  __shared__ float s[8][64];
  int t = threadIdx.x;
  for (int k = 0; k < 8; k++) s[k][t] = in[k * 64 + t];
  float sum = 0.0f;
  for (int k = 0; k < 8; k++) sum += s[k][t];
  __syncthreads();
  out[t] = sum;
}

__global__ void rowsByHand(const float *in, float *out) {
  __shared__ float s[8 * 64];
  int t = threadIdx.x;
  for (int k = 0; k < 8; k++) s[k * 64 + t] = in[k * 64 + t];
  float sum = 0.0f;
  for (int k = 0; k < 8; k++) sum += s[k * 64 + t];
  __syncthreads();
  out[t] = sum;
}

__global__ void plane(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  s[t + threadIdx.y * blockDim.x] = in[row * n + t];
  __syncthreads();
  out[row * n + t] = s[blockDim.x - 1 - t + threadIdx.y * blockDim.x];
}

__global__ void rowOfPlane(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, row = blockIdx.y * blockDim.y;
  s[t] = in[row * n + t];
  __syncthreads();
  out[row * n + t] = s[t];
  s[blockDim.x - 1 - t] = 0.0f;
}

__global__ void oneValue(const int *sizes, int *out) {
  __shared__ int n;
  __shared__ int s[1024];
  n = sizes[blockIdx.x];
  s[threadIdx.x] = n;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + n;
}

void run(const float *a, float *b, const int *c, int *d, int n, dim3 block) {
  oneWarp<<<n, block>>>(a, b);
  noBarrier<<<n, block>>>(a, b);
  rows<<<n, block>>>(a, b);
  rowsByHand<<<n, block>>>(a, b);
  plane<<<n, block>>>(a, b, n);
  rowOfPlane<<<n, block>>>(a, b, n);
  oneValue<<<n, block>>>(c, d);
}
