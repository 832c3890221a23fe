// Powers of what is computed once, under a name.
__device__ float noise(float v) { return sinf(v * 12.9898f); }

__device__ float falloff(const float *x, int i, int n) {
  // Of both neighbours.
  const float base = x[i] - x[(i + 1) % 9] + x[(i + 2) % 9];
  return 1.0f / (base * base);
}

__global__ void shade(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, base = i % 2;
  if (i >= n) return;
  const float base3 = noise(x[i]);
  const float base4 = noise(x[i] + 1);
  float v = base3 * base3 + base4 * base4 * base4;
  for (int k = 0; k < 4; k++) {
    const float base5 = sinf(v);
    v += base * (base5 * base5);
  }
  if (v > 2) {
    const float base6 = noise(v);
    v -= base6 * base6;
  } else {
    const float base7 = noise(-v);
    v += base7 * base7;
  }
  for (int k = 0; k < 3; k++) {
    const float base8 = noise(x[(i + k) % 9]);
    v += base8 * base8 - k;
  }
  y[i] = v * falloff(x, i, n);
}

void run(const float *x, float *y, int n) { shade<<<(n + 255) / 256, 256>>>(x, y, n); }
