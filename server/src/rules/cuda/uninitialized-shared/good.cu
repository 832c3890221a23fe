// Arrays that are written by any thread, by data, by some blocks, or by functions that are not known.
__device__ void fill(float *to, float value);

__global__ void tiles(const float *in, float *out, int n) {
  __shared__ float s[66];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  s[t + 1] = i < n ? in[i] : 0.0f;
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 63) s[65] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = s[t] + s[t + 2];
}

__global__ void byBlocks(const float *in, float *out) {
  __shared__ float s[66];
  int t = threadIdx.x;
  s[t + 1] = in[blockIdx.x * 64 + t];
  if (t == 0 && blockIdx.x > 0) s[0] = in[blockIdx.x * 64 - 1];
  if (t == 63 && blockIdx.x < gridDim.x - 1) s[65] = in[blockIdx.x * 64 + 64];
  __syncthreads();
  float left = blockIdx.x > 0 || t > 0 ? s[t] : 0.0f;
  out[blockIdx.x * 64 + t] = left + s[t + 2];
}

__global__ void lastBlock(const float *in, float *out) {
  __shared__ float s[65];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  if (blockIdx.x == 0) s[64] = in[0];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t + 1];
}

__global__ void histogram(const unsigned char *in, int *out) {
  __shared__ int bins[256];
  for (int b = threadIdx.x; b < 256; b += 64) bins[b] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 64 + threadIdx.x]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += 64) atomicAdd(&out[b], bins[b]);
}

__global__ void scattered(const int *to, float *out) {
  __shared__ float s[64];
  s[to[threadIdx.x]] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void given(float *out) {
  __shared__ float s[64];
  fill(s, 1.0f);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void otherWarp(const float *in, float *out) {
  __shared__ volatile float s[64];
  __shared__ volatile int ready;
  int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t >= 32) {
    while (ready == 0) {
    }
    out[t] = s[t - 32];
  } else {
    s[t] = in[t];
    __threadfence_block();
    if (t == 0) ready = 1;
  }
}

__global__ void rounds(const float *in, float *out, int n) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  for (int k = 1; k < n; k++) {
    __syncthreads();
    s[k & 1][t] = in[k * 64 + t];
    out[k * 64 + t] = s[(k & 1) ^ 1][t];
  }
}

struct Pair {
  float a, b;
};
__global__ void fields(const float *in, float *out) {
  __shared__ Pair pairs[64];
  int t = threadIdx.x;
  pairs[t].a = in[t];
  __syncthreads();
  Pair p = pairs[63 - t];
  out[t] = p.a;
}

__global__ void swept(const float *in, float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void buffers(const float *in, float *out, int n) {
  __shared__ float a[64];
  __shared__ float b[64];
  float *from = a;
  float *to = b;
  int t = threadIdx.x;
  from[t] = in[t];
  for (int k = 0; k < n; k++) {
    __syncthreads();
    to[t] = from[63 - t] * 0.5f;
    float *other = from;
    from = to;
    to = other;
  }
  __syncthreads();
  out[t] = from[t] + a[t];
}

__global__ void dynamicViews(const float *in, float *out) {
  extern __shared__ float all[];
  float *low = all;
  float *high = all + 64;
  high[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = low[threadIdx.x + 64] + low[0];
}

void launch(const float *in, const int *to, const unsigned char *bytes, int *bins, float *out, int n) {
  tiles<<<64, 64>>>(in, out, n);
  byBlocks<<<64, 64>>>(in, out);
  lastBlock<<<64, 64>>>(in, out);
  histogram<<<64, 64>>>(bytes, bins);
  scattered<<<1, 64>>>(to, out);
  given<<<1, 64>>>(out);
  otherWarp<<<1, 64>>>(in, out);
  rounds<<<1, 64>>>(in, out, n);
  fields<<<1, 64>>>(in, out);
  swept<<<64, 64>>>(in, out);
  buffers<<<1, 64>>>(in, out, n);
  dynamicViews<<<1, 64, 512>>>(in, out);
}
