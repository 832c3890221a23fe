// One thread of each block; a place for each lane; places that data choose; a slot taken.
__global__ void counts(const int *x, const float *v, float *sum, float *bins, unsigned long long *next,
                       unsigned long long *slots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[x[i]], v[i]);
  atomicAdd(&bins[i], v[i]);
  slots[i] = atomicAdd(next, 1ull);
  if (threadIdx.x == 0) atomicAdd(sum, v[i]);
}

void run(const int *x, const float *v, float *sum, float *bins, unsigned long long *next, unsigned long long *slots,
         int n) {
  counts<<<(n + 255) / 256, 256>>>(x, v, sum, bins, next, slots, n);
}

// A place that the whole part of a number, or one from memory, decides for each lane.
struct Layout { int width; const int *first; };
__global__ void scattered(const float *v, float *sums, Layout layout, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float whole;
  float part = modff(v[i], &whole);
  atomicAdd(sums + (int)whole * layout.width, part);
  atomicAdd(&sums[layout.first[(int)(v[i] * layout.width)]], part);
}

void more(const float *v, float *sums, Layout layout, int n) { scattered<<<(n + 255) / 256, 256>>>(v, sums, layout, n); }

// As many places as a block makes additions; a slot taken; sums of a block, which it adds once.
__global__ void wide(const unsigned char *x, unsigned *bins, unsigned *next, unsigned *slots, unsigned *sums, int n) {
  __shared__ unsigned own[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) {
    atomicAdd(&bins[x[i]], 1u);
    slots[i] = atomicAdd(&next[x[i] & 3], 1u);
    atomicAdd(&own[x[i] % 16], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
}

void wider(const unsigned char *x, unsigned *bins, unsigned *next, unsigned *slots, unsigned *sums, int n) {
  wide<<<(n + 255) / 256, 256>>>(x, bins, next, slots, sums, n);
}
