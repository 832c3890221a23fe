// Kernels that ask for nothing but the number of their thread, and launches whose block is one literal too many.
template <int unit>
__global__ void quantise(const float *in, char *out, long count, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  const long group = blockDim.x * blockIdx.x + threadIdx.x, at = group * unit;
  if (at >= count) return;
  out[group] = (char)(in[group] * unit);
}

__global__ void scale(float *values, float factor, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) values[i] *= factor;
}

void run(const float *in, char *out, float *values, long count, int n, cudaStream_t stream) {
  const int blocks = count / 32;
  quantise<32><<<(blocks + 255) / 256, 256, 0, stream>>>(in, out, count, blocks);
  dim3 grid(n / 256 + 1);
  // The grid divides by the same number.
  scale<<<grid, 256>>>(values, 2.0f, n);
}
