// Double literals among floats: products, sums, arguments of math functions, comparisons, compound assignments.
#include <cstdio>

__global__ void decay(float *values, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  for (int t = 0; t < turns; t++) v = v * 0.999f + 1.5e-3f;
  if (v < 0.1f) v = 0.1;
  values[i] = v;
}

__global__ void bell(const float *__restrict__ x, float *__restrict__ y, float sigma, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float scaled = x[i] / sigma;
    y[i] = exp(-0.5f * scaled * scaled) / (sqrtf(2.0f * 3.14159265f * sigma) + 1.e-6f);
    y[i] += 0.25f * scaled * x[i];
    y[i] = max(y[i], 0.0f);
  }
}

// One operation with a constant that float holds exactly.
__global__ void simple(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = b[i] * 0.5f;  // half of it
  a[i] += 1.0f;
  float inverse = 2.f / b[i];
  a[i] -= inverse;
}

int main() {
  const int n = 1000;
  float *a, *b;
  cudaMallocManaged(&a, n * sizeof(float));
  cudaMallocManaged(&b, n * sizeof(float));
  for (int i = 0; i < n; i++) a[i] = i * 0.01f, b[i] = 1.0f + i % 8;
  decay<<<4, 256>>>(a, n, 100);
  bell<<<4, 256>>>(b, a, 2.5f, n);
  simple<<<4, 256>>>(a, b, n);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  printf("%.2f\n", sum);
  return 0;
}
