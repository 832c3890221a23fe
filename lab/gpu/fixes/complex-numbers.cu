// Complex numbers of two doubles that move in two instructions.
#include "timing.cuh"

struct Complex {
  double re, im;
};

__global__ void fill(Complex *all, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all[i] = {in[i], in[n - 1 - i]};
}

__global__ void turn(const Complex *from, Complex *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Complex own = from[i];
  to[i] = {own.re * 0.5 - own.im, own.im * 0.5 + own.re};
}

__global__ void sizes(const Complex *all, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = float(all[i].re * all[i].im);
}

int main() {
  const int n = 16777216;
  const float *in = numbers(n);
  float *out = numbers(n);
  Complex *a, *b;
  cudaMalloc(&a, n * sizeof(Complex));
  cudaMalloc(&b, n * sizeof(Complex));
  fill<<<(n + 255) / 256, 256>>>(a, in, n);
  turn<<<(n + 255) / 256, 256>>>(a, b, n);
  sizes<<<(n + 255) / 256, 256>>>(b, out, n);
  return timed([&] { turn<<<(n + 255) / 256, 256>>>(a, b, n); }, out, n);
}
