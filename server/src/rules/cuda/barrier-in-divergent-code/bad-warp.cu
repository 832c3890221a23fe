// Full masks in code that only some lanes reach.
__device__ __forceinline__ float first(float v) { return v * 0.5f; }

__global__ void oddLanes(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  if (threadIdx.x % 2 == 1) {
    v += __shfl_xor_sync(0xffffffff, v, 2);
    //   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warp-primitive error
  }
  out[i] = first(v);
}

__global__ void positives(const float *in, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  if (v > 0.0f) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warp-primitive-possible hint
    sums[i] = v;
  }
}

void launch(const float *in, float *out, int n) {
  oddLanes<<<64, 128>>>(in, out);
  positives<<<64, 128>>>(in, out, n);
}
