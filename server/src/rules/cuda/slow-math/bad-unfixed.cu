// Powers whose base is not to be written twice.
#define SQUARE(v) powf(v, 2.0f)
__device__ float noise(float v) { return sinf(v * 12.9898f); }

__global__ void once(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = powf(noise(x[i]), 2.0f) + SQUARE(x[i]);
//       ^^^^^^^^^^^^^^^^^^^^^^^ power
//                                 ^^^^^^^^^^^^ power
  y[i] += powf(x[i] - x[(i + 1) % n] + x[(i + 2) % n], 2.0f);
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
}

void run(const float *x, float *y, int n) { once<<<(n + 255) / 256, 256>>>(x, y, n); }
