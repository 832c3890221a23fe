// Pairs summed in shared memory: two words apart, and a scan's up-sweep whose stride doubles.
__global__ void sumPairs(const float *in, float *out) {
  __shared__ float staged[512 + 512 / 32];
  int t = threadIdx.x;
  staged[t + t / 32] = in[blockIdx.x * 512 + t];
  staged[t + 256 + (t + 256) / 32] = in[blockIdx.x * 512 + t + 256];
  __syncthreads();
  out[blockIdx.x * 256 + t] = staged[2 * t + (2 * t) / 32] + 1.0f;
}

__global__ void spread(const int *in, int *out) {
  extern __shared__ int slots[];
  slots[threadIdx.x * 8 + (threadIdx.x * 8) / 32] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = slots[threadIdx.x + threadIdx.x / 32];
}

void launch(const float *in, float *out, const int *from, int *to) {
  sumPairs<<<1000, 256>>>(in, out);
  spread<<<16000, 128, 128 * 8 * sizeof(int) + (128 * 8 * sizeof(int)) / 32>>>(from, to);
}
