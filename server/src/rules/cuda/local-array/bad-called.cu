// The array lies in a function that kernels call, and what they pass decides the index.
__device__ double powerOf(int exponent) {
  double power[8] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  return power[exponent];
//       ^^^^^^^^^^^^^^^ value hint
}
__global__ void scale(const int *__restrict__ key, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= powerOf(key[i] & 7);
}

// The array is passed to a function that does not know how much of it there is.
__device__ float sumOf(const float *of, int count) {
  float sum = 0;
  for (int k = 0; k < count; k++) sum += of[k];
  return sum;
}
__global__ void totals(const float *__restrict__ x, float *__restrict__ out, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float seen[64];
#pragma unroll
  for (int k = 0; k < 64; k++) seen[k] = x[k * n + i];
  float sum = 0;
  for (int r = 1; r < terms; r++) sum += sumOf(seen, r);
//                                       ^^^^^^^^^^^^^^ count warning
  out[i] = sum;
}

// The array is part of an object, itself and where a method gets at it.
struct Histogram {
  float bin[64];
  int met;
  __device__ void add(int at) { bin[at] += 1.f; }
};
__global__ void counts(const int *__restrict__ key, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Histogram all;
  all.met = 0;
  for (int b = 0; b < 64; b++) all.bin[b] = 0;
  for (int r = 0; r < 256; r++) {
    all.bin[key[r * n + i] & 63] += 1.f;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ value warning
    all.met++;
  }
  for (int b = 0; b < 64; b++) out[b * n + i] = all.bin[b] / all.met;
}
__global__ void votes(const int *__restrict__ key, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Histogram all;
  for (int b = 0; b < 64; b++) all.bin[b] = 0;
  for (int r = 0; r < 256; r++) all.add(key[r * n + i] & 63);
//                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ value hint
  for (int b = 0; b < 64; b++) out[b * n + i] = all.bin[b];
}

void launch(const int *key, double *y, const float *x, float *out, int n, int terms) {
  scale<<<(n + 127) / 128, 128>>>(key, y, n);
  totals<<<(n + 127) / 128, 128>>>(x, out, n, terms);
  counts<<<(n + 127) / 128, 128>>>(key, out, n);
  votes<<<(n + 127) / 128, 128>>>(key, out, n);
}
