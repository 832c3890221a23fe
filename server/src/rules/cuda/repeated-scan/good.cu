// Loops over data that compare, but in which no thread picks its own part of what all of them read.
__global__ void ranks(const float *x, int *rank, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = 0;
  for (int k = 0; k < n; k++) r += x[k] < x[i];
  rank[i] = r;
}

__global__ void segments(const int *start, int *of, int n, int many) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < many; k++)
    if (start[k] <= i && i < start[k + 1]) of[i] = k;
}

__global__ void search(const int *key, int *at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++)
    if (key[i] == t) {
      at[t] = i;
      break;
    }
}

__global__ void shares(const int *key, int *bins, int n, int chosen) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int i = t; i < n; i += gridDim.x * blockDim.x) count += key[i] == chosen;
  bins[t] = count;
}

__global__ void rows(const int *key, int *counts, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int i = 0; i < n; i++) count += key[i * n + t] == t;
  counts[t] = count;
}

__global__ void few(const int *key, int *counts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int i = 0; i < 16; i++) count += key[i] == t;
  counts[t] = count;
}

__global__ void parity(const int *key, const float *x, float *y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int i = 0; i < n; i++)
    if (key[i] == t % 2) s += x[i] * t;
  y[t] = s;
}

__global__ void offsets(const int *step, const float *x, float *y, int n, int many) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < many; k++)
    if (t + step[k] >= 0 && t + step[k] < n) s += x[t + step[k]];
  y[t] = s;
}

__global__ void below(const float *x, int *counts, int n, float w) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  for (int i = 0; i < n; i++) count += x[i] < t * w;
  counts[t] = count;
}

void launch(const float *x, const int *key, float *y, int *out, int n) {
  ranks<<<(n + 255) / 256, 256>>>(x, out, n);
  segments<<<(n + 255) / 256, 256>>>(key, out, n, 1000);
  search<<<(n + 255) / 256, 256>>>(key, out, n);
  shares<<<1024, 256>>>(key, out, n, 3);
  rows<<<1024, 256>>>(key, out, n);
  few<<<1024, 256>>>(key, out);
  parity<<<1024, 256>>>(key, x, y, n);
  offsets<<<1024, 256>>>(key, x, y, n, 5);
  below<<<1024, 256>>>(x, out, n, 0.5f);
}
