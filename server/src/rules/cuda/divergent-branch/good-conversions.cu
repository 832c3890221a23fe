// A conversion to the type that a template is for takes no call: the arms are short.
template <typename T>
__device__ T sumOfBlock(const T *parts, int thread) {
  T part = (thread < blockDim.x / 64) ? parts[thread] : T(0);
  for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(0xffffffff, part, step);
  return part;
}

template <typename T>
__global__ void sums(const T *in, T *out) {
  __shared__ T parts[32];
  int thread = threadIdx.x;
  T own = in[blockIdx.x * blockDim.x + thread];
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
  if (thread % 32 == 0) parts[thread / 32] = own;
  __syncthreads();
  if (thread < 32) {
    T total = sumOfBlock<T>(parts, thread);
    if (thread == 0) out[blockIdx.x] = total;
  }
}

void launch(const float *in, float *out, int blocks) { sums<float><<<blocks, 512>>>(in, out); }
