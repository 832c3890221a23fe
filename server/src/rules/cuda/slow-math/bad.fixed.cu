// Powers with constant exponents, with the bases 2 and 10, and reciprocal roots.
__global__ void powers(const float *x, const double *d, float *y, double *e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], sum = 0;
  double b = d[i];
  for (int k = 1; k <= 8; k++) {
    sum += (a + k) * (a + k) / (a * a * a);
    sum += (a * a) * (a * a) * sqrtf(a);
    sum += a * 1.0f / sqrtf(a) + rsqrtf(a + k);
  }
  y[i] = sum + exp2f(a) + exp10f(a * 0.5f) + a * sqrtf(a);
  e[i] = b * b * (1.0 / b) - 1.0 / (b * b) + (b * b) * (b * b) * (b * b);
}

__device__ double energy(float charge, double distance) { return (double)charge * charge / distance; }

void run(const float *x, const double *d, float *y, double *e, int n) {
  powers<<<(n + 255) / 256, 256>>>(x, d, y, e, n);
}
