// One lane of a block computes it once: a hint. What all lanes compute is a warning.
__global__ void normalise(const float *in, float *out, const float *sums, int n) {
  __shared__ float mean, scale;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    mean = sums[0] / n;
    scale = rsqrtf(sums[1] / n - mean * mean + 1e-6);
//                                             ^^^^ literal information
  }
  __syncthreads();
  if (i < n) out[i] = (in[i] - mean) * scale;
}

__global__ void shift(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + 1e-6;
//                                    ^^^^ literal information
}

void launch(const float *in, float *out, const float *sums, int n) {
  normalise<<<n / 256, 256>>>(in, out, sums, n);
  shift<<<n / 256, 256>>>(in, out, n);
}
