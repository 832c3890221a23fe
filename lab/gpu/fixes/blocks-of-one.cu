// One thread a block.
#include "timing.cuh"

__global__ void scale(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}

int main() {
  const int n = 1 << 22;
  const float *in = numbers(n);
  float *out = numbers(n);
  return timed([&] { scale<<<n, 1>>>(in, out, n); }, out, n);
}
