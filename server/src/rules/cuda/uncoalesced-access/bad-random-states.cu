// States of random numbers in global memory, which each thread reads and changes in place, and lanes numbered in PTX.
#include <curand_kernel.h>

__global__ void seed(curandState *states, unsigned int number) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(number, t, 0, &states[t]);
//                           ^^^^^^^^^ whole-struct
}

__global__ void draw(curandState *states, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = curand_uniform(&states[t]);
//                         ^^^^^^^^^ whole-struct
}

__global__ void below(const unsigned int *keys, float *out) {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  out[__popc(mask) * 16] = keys[threadIdx.x];
//^^^^^^^^^^^^^^^^^^^^^^ stride warning
}

__global__ void count(int *counts, const int *values) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_atomic_add(&counts[t * 8], values[t], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
//                 ^^^^^^^^^^^^^ stride warning
}

void run(curandState *states, const unsigned int *keys, int *counts, const int *values, float *out) {
  seed<<<1000, 256>>>(states, 1);
  draw<<<1000, 256>>>(states, out);
  below<<<100000, 32>>>(keys, out);
  count<<<16000, 256>>>(counts, values);
}
