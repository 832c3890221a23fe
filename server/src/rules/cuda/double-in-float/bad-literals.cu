// Double literals among floats: products, sums, arguments of math functions, comparisons, compound assignments.
#include <cstdio>

__global__ void decay(float *values, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  for (int t = 0; t < turns; t++) v = v * 0.999 + 1.5e-3;
//                                        ^^^^^ literal
//                                                ^^^^^^ literal
  if (v < 0.1) v = 0.1;
//        ^^^ literal
  values[i] = v;
}

__global__ void bell(const float *__restrict__ x, float *__restrict__ y, float sigma, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float scaled = x[i] / sigma;
    y[i] = exp(-0.5 * scaled * scaled) / (sqrtf(2.0 * 3.14159265 * sigma) + 1.e-6);
//             ^^^^ literal
//                                              ^^^ literal
//                                                    ^^^^^^^^^^ literal
//                                                                          ^^^^^ literal
    y[i] += 0.25 * scaled * x[i];
//          ^^^^ literal
    y[i] = max(y[i], 0.0);
//                   ^^^ literal
  }
}

// One operation with a constant that float holds exactly.
__global__ void simple(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = b[i] * 0.5;  // half of it
//              ^^^ narrowed hint
  a[i] += 1.0;
//        ^^^ narrowed hint
  float inverse = 2. / b[i];
//                ^^ narrowed hint
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
