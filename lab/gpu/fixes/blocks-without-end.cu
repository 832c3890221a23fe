// Blocks of four threads of a kernel that nothing ends.
#include "timing.cuh"

__global__ void grow(float *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = values[i] * 0.5f + 1.0f;
}

int main() {
  const int n = 4194304;
  float *values = numbers(n);
  return timed([&] { grow<<<n / 4, 4>>>(values); }, values, n);
}
