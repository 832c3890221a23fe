// A line that two kernels inline and two nodes of a graph run.
#pragma once
__device__ __forceinline__ float polish(float x, const float* table, int i) {
  float weight = table[(i * 5) & 1023];
  return x * weight + 0.25f;
}
