// One of three doubles of a structure.
#include "../fixes/timing.cuh"

__global__ void heights(const double *y, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = y[i] * 2.0;
}

int main() {
  const int n = 1 << 24;
  const double *y = reinterpret_cast<const double *>(numbers(size_t(n) * 2));
  float *out = numbers(size_t(n) * 2);
  return timed([&] { heights<<<(n + 255) / 256, 256>>>(y, reinterpret_cast<double *>(out), n); }, out, 0);
}
