// Loops whose end is rounded up to whole blocks or warps, and work that one lane fetches for its warp.
__global__ void rows(const float *in, float *out, int n) {
  __shared__ float staged[256];
  const int end = (n + 255) / 256 * 256;
  for (int i = threadIdx.x; i < end; i += 256) {
    staged[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = staged[255 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void rounds(const float *in, float *out, int n) {
  __shared__ float staged[256];
  const int all = ((n - 1) / (blockDim.x * gridDim.x * 4) + 1) * blockDim.x * gridDim.x * 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += blockDim.x * gridDim.x * 4) {
    staged[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = staged[255 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void masked(const float *in, float *out, int n) {
  __shared__ float staged[256];
  const unsigned end = (n + 255) & ~255;
  for (unsigned i = threadIdx.x; i < end; i += 256) {
    staged[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = staged[255 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void tasks(int *next, int count, float *out) {
  const int lane = threadIdx.x % 32;
  int task;
  if (lane == 0) task = atomicAdd(next, 1);
  task = __shfl_sync(0xffffffff, task, 0);
  while (task < count) {
    out[task * 32 + lane] = 1.0f;
    if (lane == 0) task = atomicAdd(next, 1);
    task = __shfl_sync(0xffffffff, task, 0);
  }
}

void launch(const float *in, float *out, int *next, int n) {
  rows<<<1000, 256>>>(in, out, n);
  rounds<<<1000, 256>>>(in, out, n);
  masked<<<1, 256>>>(in, out, n);
  tasks<<<1000, 256>>>(next, n, out);
}
