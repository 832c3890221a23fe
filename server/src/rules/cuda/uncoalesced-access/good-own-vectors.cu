// Types for compilers without CUDA, which nvcc does not read: its float4 moves in one instruction.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__
struct __attribute__((aligned(4))) float4 { float x, y, z, w; };
#endif

__global__ void shift(float4 *field, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 value = field[i];
  value.x += by;
  value.w = 0.0f;
  field[i] = value;
}

void run(float4 *field, float by, int n) { shift<<<(n + 255) / 256, 256>>>(field, by, n); }
