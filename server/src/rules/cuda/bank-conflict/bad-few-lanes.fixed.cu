// Eight lanes a row apart, once a block: true, and nobody sees it.
__global__ void counts(const int *in, int *out) {
  __shared__ int part[8 * 32 + (8 * 32) / 32];
  part[threadIdx.x + threadIdx.x / 32] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = part[threadIdx.x * 32 + threadIdx.x];
}

void run(const int *in, int *out) { counts<<<4096, 256>>>(in, out); }
