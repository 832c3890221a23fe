// A template whose type may be double, half-precision values, and integers that meet doubles.
#include <cuda_fp16.h>

template <typename T>
__global__ void scale(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 0.1 + 0.5;
}

__global__ void counts(const int *c, float *share, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) share[i] = c[i] * 0.01;
}

__global__ void halves(const __half *h, float *out) { out[threadIdx.x] = __half2float(h[threadIdx.x]) * 0.5f; }

void run(float *f, double *d, const int *c, const __half *h, int n) {
  scale<float><<<(n + 255) / 256, 256>>>(f, n);
  scale<double><<<(n + 255) / 256, 256>>>(d, n);
  counts<<<(n + 255) / 256, 256>>>(c, f, n);
  halves<<<1, 256>>>(h, f);
}
