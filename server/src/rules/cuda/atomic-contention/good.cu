// 32-bit integers, which the compiler sums; one lane alone; a place for each lane; places that data choose; a slot taken.
__global__ void counts(const int *x, const float *v, int *count, float *sum, float *bins, unsigned long long *next,
                       unsigned long long *slots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(count, x[i]);
  atomicAdd(&bins[x[i]], v[i]);
  atomicAdd(&bins[i], v[i]);
  atomicMax(count, x[i]);
  slots[i] = atomicAdd(next, 1ull);
  float part = v[i];
  for (int offset = 16; offset > 0; offset >>= 1) part += __shfl_down_sync(0xffffffff, part, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, part);
}

void run(const int *x, const float *v, int *count, float *sum, float *bins, unsigned long long *next,
         unsigned long long *slots, int n) {
  counts<<<(n + 255) / 256, 256>>>(x, v, count, sum, bins, next, slots, n);
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
