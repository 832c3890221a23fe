__global__ void scan(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t >= step) s[t] += s[t - step];
    //             ^^^^ overwritten
    __syncthreads();
  }
  d[t] = s[t];
}

__global__ void last_of_all(const float *in, float *out) {
  __shared__ float last;
  if (true) last = in[threadIdx.x];
  //        ^^^^ two-writes
  __syncthreads();
  out[threadIdx.x] = last;
}

__device__ void tail(volatile float *s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  //      ^^^^^^^^^ unseen-write-in-warp information
  s[t] += s[t + 8];
}

__global__ void eights(const float *in, float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) tail(s, t);
  if (t < 8) out[t] = s[t];
}

void launch(float *a, float *b) {
  scan<<<1, 256>>>(a);
  last_of_all<<<1, 128>>>(a, b);
  eights<<<1, 64>>>(a, b);
}
