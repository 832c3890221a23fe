// Lanes leave a loop at different iterations: a search that breaks, a series that escapes, a way of a length of its own.
__global__ void find(const int *wanted, const int *table, int *place, int n, int entries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = wanted[i];
  int at = 0;
  for (; at < entries; at++) {
//       ^^^^^^^^^^^^ exits hint
    if (table[at] == key) break;
  }
  place[i] = at;
}

__global__ void escapes(int *steps, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const float cr = x * scale, ci = blockIdx.y * scale;
  float r = 0.0f, i = 0.0f;
  int k = 0;
  while (true) {
//^^^^^ exits hint
    const float next = r * r - i * i + cr;
    i = 2.0f * r * i + ci;
    r = next;
    if (++k >= 100 || r * r + i * i > 4.0f) break;
  }
  steps[blockIdx.y * gridDim.x * blockDim.x + x] = k;
}

__global__ void march(const float *field, float *sums, float slope, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float end = 4.0f + slope * threadIdx.x;
  float sum = 0.0f;
  for (float t = 0.0f; t < end; t += 0.5f) sum += field[(int)t];
//                     ^^^^^^^ exits hint
  sums[i] = sum;
}

// A search that halves a table of 1,024 entries takes ten steps in every lane.
__global__ void bisect(const float *table, const float *values, int *place, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = 1024;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (table[middle] <= values[i]) low = middle;
    else high = middle;
  }
  place[i] = low;
}

void run(const int *wanted, const int *table, int *place, const float *field, float *sums, float slope) {
  find<<<1024, 256>>>(wanted, table, place, 262144, 1000);
  escapes<<<dim3(4, 1024), 256>>>(place, 0.001f);
  march<<<1024, 256>>>(field, sums, slope, 262144);
  bisect<<<1024, 256>>>(field, sums, place, 262144);
}
