// Sixteen bytes a lane, side by side: four wavefronts are the ideal. Doubles in order, and a halving sweep.
__global__ void vectors(const float4 *in, float4 *out) {
  __shared__ float4 staged[128];
  staged[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = staged[127 - threadIdx.x];
}

__global__ void totals(const double *in, double *sums) {
  extern __shared__ double partial[];
  unsigned int tid = threadIdx.x;
  partial[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }
  if (tid == 0) sums[blockIdx.x] = partial[0];
}

void launch(const float4 *in, float4 *out, const double *values, double *sums) {
  vectors<<<100, 128>>>(in, out);
  totals<<<100, 256, 256 * sizeof(double)>>>(values, sums);
}
