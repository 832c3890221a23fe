// A sine and a cosine of one angle, and cube roots as powers.
__global__ void rotate(const float *angles, float *x, float *y, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < steps; k++) {
    const float angle = angles[i] * k;
    const float s = sinf(angle);
    sum += s * cosf(angle);
//             ^^^^^^^^^^^ sincos warning
  }
  x[i] = sum;
  y[i] = sum;
}

__global__ void waves(const double *angles, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0.0;
  for (int k = 0; k < 64; k++) sum += sin(angles[i] * k) * cos(angles[i] * k);
//                                                         ^^^^^^^^^^^^^^^^^^ sincos warning
  out[i] = sum;
}

__global__ void radii(const float *volumes, float *out, const double *wide, double *outWide, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  double sumWide = 0.0;
  for (int k = 0; k < 64; k++) {
    sum += powf(volumes[i] + k, 1.0f / 3.0f);
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power warning
    sumWide += pow(wide[i] + k, -1.0 / 3);
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^ power hint
  }
  out[i] = sum + powf(volumes[i], 0.333333f);
//               ^^^^^^^^^^^^^^^^^^^^^^^^^^^ power hint
  outWide[i] = sumWide;
}

void run(const float *a, const double *b, float *x, float *y, double *z, int n, int m) {
  rotate<<<(n + 255) / 256, 256>>>(a, x, y, n, m);
  waves<<<(n + 255) / 256, 256>>>(b, z, n);
  radii<<<(n + 255) / 256, 256>>>(a, x, b, z, n);
}
