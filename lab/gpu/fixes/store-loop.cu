// Eight values of each thread, stored one by one in a loop.
#include "timing.cuh"

__global__ void spread(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own = in[i];
  for (int c = 0; c < 8; c++) {
    int to = 8 * i + c;
    out[to] = own * c;
  }
}

int main() {
  const int n = 8388608;
  const float *in = numbers(n);
  float *out = numbers(size_t(n) * 8);
  return timed([&] { spread<<<(n + 255) / 256, 256>>>(in, out, n); }, out, size_t(n) * 8);
}
