// What stands around: a loop, an arm without braces, a header that is included under a condition.
#ifdef USE_HALF
#include <cuda_fp16.h>
#endif
#include <cstdio>

__global__ void columns(const float *x, float *sums, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 8; k++)
    if (k % 2 == 0) atomicAdd(sums + k, x[i] * k);
//                            ^^^^^^^^ global
    else sums[k] = 0;
  if (x[i] > 0.5f) atomicAdd(total, 1);
//                           ^^^^^ global
}

void run(const float *x, float *sums, float *total, int n) { columns<<<(n + 255) / 256, 256>>>(x, sums, total, n); }
