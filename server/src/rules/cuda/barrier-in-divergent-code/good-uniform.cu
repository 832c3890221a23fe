// Conditions that the whole block shares.
__global__ void maybe(const float *in, float *out, int passes, const int *skip) {
  __shared__ float staged[64];
  if (skip[blockIdx.x]) return;
  const int i = blockIdx.x * 64 + threadIdx.x;
  for (int p = 0; p < passes; p++) {
    staged[threadIdx.x] = in[i + p];
    __syncthreads();
    if (p % 2 == 0) {
      out[i] = staged[63 - threadIdx.x];
      __syncthreads();
    }
  }
}

void launch(const float *in, float *out, const int *skip) { maybe<<<100, 64>>>(in, out, 4, skip); }
