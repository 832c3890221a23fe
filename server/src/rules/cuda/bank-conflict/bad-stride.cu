// Pairs summed in shared memory: two words apart, and a scan's up-sweep whose stride doubles.
__global__ void sumPairs(const float *in, float *out) {
  __shared__ float staged[512];
  int t = threadIdx.x;
  staged[t] = in[blockIdx.x * 512 + t];
  staged[t + 256] = in[blockIdx.x * 512 + t + 256];
  __syncthreads();
  out[blockIdx.x * 256 + t] = staged[2 * t] + 1.0f;
//                            ^^^^^^^^^^^^^ stride hint
}

__global__ void spread(const int *in, int *out) {
  extern __shared__ int slots[];
  slots[threadIdx.x * 8] = in[blockIdx.x * blockDim.x + threadIdx.x];
//^^^^^^^^^^^^^^^^^^^^^^ stride information
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = slots[threadIdx.x];
}

void launch(const float *in, float *out, const int *from, int *to) {
  sumPairs<<<1000, 256>>>(in, out);
  spread<<<16000, 128, 128 * 8 * sizeof(int)>>>(from, to);
}
