// Sweeps of other forms, reported without a rewrite: two arrays by the halves of a block, logical and, the place of the
// smallest.
__global__ void byHalves(const float *in, float *out) {
  __shared__ float least[128], most[128];
  const int t = threadIdx.x;
  if (t < 128) least[t] = in[t];
  else most[t - 128] = in[t - 128];
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < 128) {
      if (t < d) least[t] = fminf(least[t], least[t + d]);
    } else {
      const int u = t - 128;
      if (u < d) most[u] = fmaxf(most[u], most[u + d]);
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = most[0] - least[0];
}

__global__ void all(const int *in, int *out) {
  __shared__ bool holds[256];
  const int t = threadIdx.x;
  holds[t] = in[blockIdx.x * 256 + t] > 0;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < d) holds[t] = holds[t] && holds[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = holds[0];
}

__global__ void whereSmallest(const float *in, int *where) {
  __shared__ float value[128];
  __shared__ int place[128];
  const int t = threadIdx.x;
  value[t] = in[t];
  place[t] = t;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < s && value[t + s] < value[t]) {
      value[t] = value[t + s];
      place[t] = place[t + s];
    }
    __syncthreads();
  }
  if (t == 0) *where = place[0];
}

__global__ void inRegisters(const float *in, int *where) {
  __shared__ float value[128];
  __shared__ int place[128];
  const int t = threadIdx.x;
  float best = in[t];
  int at = t;
  value[t] = best;
  place[t] = at;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < s) {
      float other = value[t + s];
      int there = place[t + s];
      if (other < best) {
        best = other;
        at = there;
        value[t] = best;
        place[t] = at;
      }
    }
    __syncthreads();
  }
  if (t == 0) *where = place[0];
}

void run(const float *in, const int *numbers, float *out, int *where) {
  byHalves<<<1024, 256>>>(in, out);
  all<<<1024, 256>>>(numbers, where);
  whereSmallest<<<1, 128>>>(in, where);
  inRegisters<<<1, 128>>>(in, where);
}
