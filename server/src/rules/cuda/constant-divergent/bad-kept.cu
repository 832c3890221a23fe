// A table that stands beside another in one declaration, or is also read at one place, keeps its memory.
__constant__ float weights[64], bias[64];
__constant__ float scales[32];

__global__ void filter(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = bias[0];
  for (int k = 0; k < 16; k++) sum += x[i] * weights[k * 4 + threadIdx.x % 4] + bias[(k + threadIdx.x) % 64];
//                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ divergent
//                                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ divergent
  y[i] = sum * scales[threadIdx.x % 32] * scales[0];
//             ^^^^^^^^^^^^^^^^^^^^^^^^ divergent
}

void run(const float *x, float *y, int n) { filter<<<(n + 255) / 256, 256>>>(x, y, n); }
