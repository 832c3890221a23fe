// Powers with constant exponents, with the bases 2 and 10, and reciprocal roots.
__global__ void powers(const float *x, const double *d, float *y, double *e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], sum = 0;
  double b = d[i];
  for (int k = 1; k <= 8; k++) {
    sum += powf(a + k, 2.0f) / powf(a, 3.0f);
//         ^^^^^^^^^^^^^^^^^ power
//                             ^^^^^^^^^^^^^ power
    sum += pow(a, 4.0f) * std::pow(a, 0.5f);
//         ^^^^^^^^^^^^ power
//                        ^^^^^^^^^^^^^^^^^ power
    sum += a * 1.0f / sqrtf(a) + 1.0f / sqrtf(a + k);
//                               ^^^^^^^^^^^^^^^^^^^ root
  }
  y[i] = sum + powf(2.0f, a) + powf(10.0f, a * 0.5f) + powf(a, 1.5f);
//             ^^^^^^^^^^^^^ base
//                             ^^^^^^^^^^^^^^^^^^^^^ base
//                                                     ^^^^^^^^^^^^^ power
  e[i] = pow(b, 2) * pow(b, -1.0) - pow(b, -2) + pow(b, 6);
//       ^^^^^^^^^ power
//                   ^^^^^^^^^^^^ power
//                                  ^^^^^^^^^^ power
//                                               ^^^^^^^^^ power
}

__device__ double energy(float charge, double distance) { return pow(charge, 2) / distance; }
//                                                               ^^^^^^^^^^^^^^ power

void run(const float *x, const double *d, float *y, double *e, int n) {
  powers<<<(n + 255) / 256, 256>>>(x, d, y, e, n);
}
