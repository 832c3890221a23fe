// A stride that only run time knows may be odd; an index that data decide meets whatever bank it meets.
__global__ void histogram(const unsigned char *in, unsigned int *counts, int n, int pitch) {
  extern __shared__ unsigned int bins[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
//                                                                                                   ^^^^^^^^^^^ other hint
  __syncthreads();
  unsigned int *mine = bins + 256;
  mine[threadIdx.x * pitch] = bins[threadIdx.x % 256];
//^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x * pitch]);
//                                ^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride
}

void launch(const unsigned char *in, unsigned int *counts, int n, int pitch) { histogram<<<512, 256, 64 * 1024>>>(in, counts, n, pitch); }
