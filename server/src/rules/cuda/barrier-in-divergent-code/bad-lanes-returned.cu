// Lanes that left are still named in the mask of a shuffle.
__global__ void rowSums(const float *in, float *out) {
  const int t = threadIdx.x;
  if (t >= 48) return;
  float v = in[blockIdx.x * 48 + t];
  v += __shfl_down_sync(0xffffffff, v, 8);
  //   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-returned warning
  out[blockIdx.x * 48 + t] = v;
}

template <typename T>
__global__ void neighbourMean(const T *__restrict__ samples, T *__restrict__ means, unsigned count) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count)
    return;
  T own = samples[at];
  T next = __shfl_down_sync(~0u, own, 1);
  //       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-returned-possible hint
  means[at] = (own + next) / T(2);
}

void launch(const float *in, float *out, unsigned n) {
  rowSums<<<16, 64>>>(in, out);
  neighbourMean<float><<<(n + 127) / 128, 128>>>(in, out, n);
}
