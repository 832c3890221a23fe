constexpr int threads = 256;

__global__ void differences(const float *in, float *out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < threads - 1) out[t] = s[t + 1] - s[t];
}

// The host may ask for fewer.
__global__ void few(const float *in, float *out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  __syncthreads();
  if (t >= n) return;
  out[t] = s[t];
}
__global__ void fewer(const float *in, float *out, const int *count) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t >= count[0]) return;
  s[t] = in[t];
  out[t] = s[t];
}
__global__ void either(const float *in, float *out, bool small) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (!small) {
    out[t] = in[t];
    return;
  }
  s[t] = in[t];
  out[t] = s[t];
}
__global__ void in_steps(const float *in, float *out, int n) {
  __shared__ float s[64];
  for (int t = threadIdx.x; t < n; t += blockDim.x) s[t] = in[t];
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = s[threadIdx.x];
}
__global__ void by_data(const int *at, const float *in, float *out) {
  __shared__ float s[16];
  s[at[threadIdx.x]] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] > 0.0f && threadIdx.x < 16 ? s[threadIdx.x] : 0.0f;
}

// Rows behind each other are one array.
__global__ void flat(const float *in, float *out) {
  __shared__ float rows[8][32];
  rows[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = rows[0][255 - threadIdx.x];
}

// As large as the launch says.
__global__ void dynamic(const float *in, float *out) {
  extern __shared__ float s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}

void launch(float *a, float *b, int *i, int n) {
  differences<<<1, threads>>>(a, b);
  few<<<1, threads>>>(a, b, n);
  fewer<<<1, threads>>>(a, b, i);
  either<<<1, threads>>>(a, b, n < 64);
  in_steps<<<1, threads>>>(a, b, n);
  by_data<<<1, threads>>>(i, a, b);
  flat<<<1, threads>>>(a, b);
  dynamic<<<1, threads, threads * sizeof(float)>>>(a, b);
}

// The block, and its memory, are what a loop of unknown length ends with.
__global__ void ofSomeSize(float *out) {
  extern __shared__ int chosen[];
  chosen[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = chosen[3];
}

int sizeFor(int most) {
  int best = 0, threads = 4;
  for (int t = 1; t <= most; t++) {
    int waste = 1024 % t;
    if (waste > best) {
      best = waste;
      threads = t;
    }
  }
  return threads;
}

void launchOfSomeSize(float *out, int most) {
  int threads = sizeFor(most);
  ofSomeSize<<<1024, threads, threads * sizeof(int)>>>(out);
}
