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

// The width of a whole warp may be written, and a template's number that nothing gives is the step as well.
__global__ void chains(const unsigned *slabs, unsigned *result, unsigned n) {
  const unsigned slab = (threadIdx.x + blockIdx.x * blockDim.x) / 32;
  if (slab >= n) return;
  const unsigned lane = threadIdx.x & 0x1f;
  unsigned data = slabs[slab * 32 + lane];
  unsigned pairs = __popc(__ballot_sync(0xffffffff, data != 0));
  unsigned next = __shfl_sync(0xffffffff, data, 31, 32);
  while (next != 0xfffffffe) {
    data = slabs[next * 32 + lane];
    pairs += __popc(__ballot_sync(0xffffffff, data != 0));
    next = __shfl_sync(0xffffffff, data, 31, 32);
  }
  if (lane == 0) result[slab] = pairs;
}

template <int WIDTH>
__global__ void dots(const float *a, float *sums, int n) {
  const int steps = (n - 1) / WIDTH + 1;
  float sum = 0.0f;
  for (int x = threadIdx.x; x < steps * WIDTH; x += WIDTH) {
    float v = x < n ? a[blockIdx.x * n + x] : 0.0f;
    for (int k = 16; k >= 1; k >>= 1) v += __shfl_xor_sync(0xffffffff, v, k, 32);
    sum += v;
  }
  sums[blockIdx.x * WIDTH + threadIdx.x] = sum;
}
