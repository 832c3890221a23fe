// Indices that are known once the loops are unrolled.
__global__ void unrolled(const float *__restrict__ x, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float tile[16];
  for (int k = 0; k < 16; k++) tile[k] = x[k * n + i];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) sum += tile[k] * tile[15 - k];
  out[i] = sum;
}

// nvcc selects one of a few elements by comparisons.
__global__ void selected(const int *__restrict__ key, const float *__restrict__ x, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float few[4];
  for (int k = 0; k < 4; k++) few[k] = x[k * n + i];
  out[i] = few[key[i] & 3];
}

// One table for all threads.
__global__ void table(const int *__restrict__ key, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  static const double weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  out[i] = weight[key[i] & 7];
}

// The array in shared memory has a column for each thread.
__global__ void columns(const int *__restrict__ key, int *__restrict__ out, int n) {
  __shared__ int bin[64][128];
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int b = 0; b < 64; b++) bin[b][threadIdx.x] = 0;
  if (i >= n) return;
  for (int r = 0; r < 256; r++) bin[key[r * n + i] & 63][threadIdx.x]++;
  for (int b = 0; b < 64; b++) out[b * n + i] = bin[b][threadIdx.x];
}

// The condition ends the loop, whose length the compiler knows.
__global__ void bounded(const float *__restrict__ x, float *__restrict__ out, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float tile[8];
  for (int k = 0; k < 8; k++) tile[k] = x[k * n + i];
  float sum = 0;
  for (int k = 0; k < terms; k++) {
    if (k >= 8) break;
    sum += tile[k];
  }
  out[i] = sum;
}

void launch(const int *key, int *bins, const float *x, float *y, int n, int terms) {
  unrolled<<<(n + 127) / 128, 128>>>(x, y, n);
  selected<<<(n + 127) / 128, 128>>>(key, x, y, n);
  table<<<(n + 127) / 128, 128>>>(key, y, n);
  columns<<<(n + 127) / 128, 128>>>(key, bins, n);
  bounded<<<(n + 127) / 128, 128>>>(x, y, n, terms);
}
