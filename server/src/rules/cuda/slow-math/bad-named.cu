// Powers of what is computed once, under a name.
__device__ float noise(float v) { return sinf(v * 12.9898f); }

__device__ float falloff(const float *x, int i, int n) {
  // Of both neighbours.
  return powf(x[i] - x[(i + 1) % 9] + x[(i + 2) % 9], -2.0f);
//       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
}

__global__ void shade(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, base = i % 2;
  if (i >= n) return;
  float v = powf(noise(x[i]), 2.0f) + powf(noise(x[i] + 1), 3.0f);
//          ^^^^^^^^^^^^^^^^^^^^^^^ power
//                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  for (int k = 0; k < 4; k++) {
    v += base * powf(sinf(v), 2);
//              ^^^^^^^^^^^^^^^^ power
  }
  if (v > 2)
    v -= powf(noise(v), 2.0f);
//       ^^^^^^^^^^^^^^^^^^^^ power
  else v += powf(noise(-v), 2.0f);
//          ^^^^^^^^^^^^^^^^^^^^^ power
  for (int k = 0; k < 3; k++) v += powf(noise(x[(i + k) % 9]), 2.0f) - k;
//                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  y[i] = v * falloff(x, i, n);
}

void run(const float *x, float *y, int n) { shade<<<(n + 255) / 256, 256>>>(x, y, n); }
