// The work is guarded, the barrier is not.
__global__ void reverse(const int *in, int *out, int n) {
  __shared__ int staged[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool active = i < n;
  if (active) staged[threadIdx.x] = in[i];
  __syncthreads();
  if (active) out[i] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void sweeps(float *values) {
  __shared__ float part[256];
  part[threadIdx.x] = values[blockIdx.x * 256 + threadIdx.x];
  for (int s = 128; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
  }
  if (threadIdx.x == 0) values[blockIdx.x * 256] = part[0];
}

void launch(const int *in, int *out, float *values, int n) {
  reverse<<<(n + 127) / 128, 128>>>(in, out, n);
  sweeps<<<64, 256>>>(values);
}
