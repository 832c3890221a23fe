// A shuffle within groups of 16 lanes leaves the two halves of a warp with values of their own.
__global__ void chains(const unsigned *slabs, unsigned *result, unsigned n) {
  const unsigned slab = (threadIdx.x + blockIdx.x * blockDim.x) / 16;
  if (slab >= n) return;
  const unsigned lane = threadIdx.x & 0xf;
  unsigned data = slabs[slab * 16 + lane];
  unsigned pairs = 0;
  unsigned next = __shfl_sync(0xffffffff, data, 15, 16);
//                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-returned-possible hint
  while (next != 0xfffffffe) {
    data = slabs[next * 16 + lane];
    pairs += __popc(__ballot_sync(0xffffffff, data != 0));
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warp-primitive-possible hint
    next = __shfl_sync(0xffffffff, data, 15, 16);
  }
  if (lane == 0) result[slab] = pairs;
}

// The step is no part of the bound: the last threads take one iteration less.
template <int WIDTH>
__global__ void dots(const float *a, float *sums, int n, int steps) {
  float sum = 0.0f;
  for (int x = threadIdx.x; x < steps * 8; x += WIDTH) {
    float v = x < n ? a[blockIdx.x * n + x] : 0.0f;
    for (int k = 16; k >= 1; k >>= 1) v += __shfl_xor_sync(0xffffffff, v, k, 32);
//                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warp-primitive-possible hint
    sum += v;
  }
  sums[blockIdx.x * WIDTH + threadIdx.x] = sum;
}
