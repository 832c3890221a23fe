// Four values of each thread, stored field by field.
#include "../fixes/timing.cuh"

__global__ void spread(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own = in[i];
  *reinterpret_cast<float4 *>(out + 4 * i) = make_float4(own, own * 2, own * 3, own * 4);
}

int main() {
  const int n = 1 << 24;
  const float *in = numbers(n);
  float *out = numbers(size_t(n) * 4);
  return timed([&] { spread<<<(n + 255) / 256, 256>>>(in, out, n); }, out, size_t(n) * 4);
}
