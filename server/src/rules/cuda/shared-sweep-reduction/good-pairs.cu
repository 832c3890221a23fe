// A function combines the elements: what it does with them is out of sight of the rewrite.
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

void run(Best *best) { withFunction<<<1, 64>>>(best, best + 64); }
