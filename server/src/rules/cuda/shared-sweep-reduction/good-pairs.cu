// The place of the smallest value moves with it: two arrays that shuffle together are another rewrite.
__global__ void whereSmallest(const float *in, int *where) {
  __shared__ float value[128];
  __shared__ int place[128];
  int t = threadIdx.x;
  value[t] = in[t];
  place[t] = t;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s && value[t + s] < value[t]) {
      value[t] = value[t + s];
      place[t] = place[t + s];
    }
    __syncthreads();
  }
  if (t == 0) *where = place[0];
}

struct Best { float value; int place; };
__device__ Best smaller(Best a, Best b) { return a.value < b.value ? a : b; }

__global__ void withFunction(const Best *in, Best *out) {
  __shared__ Best best[64];
  best[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) best[threadIdx.x] = smaller(best[threadIdx.x], best[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = best[0];
}

void run(float *in, int *where, Best *best) {
  whereSmallest<<<1, 128>>>(in, where);
  withFunction<<<1, 64>>>(best, best + 64);
}
