// A largest value and a sum of several terms, each kept in memory.
#include <cuda_runtime.h>

__global__ void largest(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  for (int k = 0; k < 1000; k++) out[i] = fmaxf(out[i], in[k * 65536 + i]);
//                               ^^^^^^ sum
}

__global__ void several(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0;
  for (int k = 0; k < 1000; k++) out[i] = out[i] + in[k * 65536 + i] + 1.0f;
//                               ^^^^^^ sum
}

void launch(float *out, const float *in) {
  largest<<<256, 256>>>(out, in);
  several<<<256, 256>>>(out, in);
}
