// One of three doubles of a structure.
#include "../fixes/timing.cuh"

struct Point {
  double x, y, z;
};
__global__ void heights(const Point *points, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = points[i].y * 2.0;
}

int main() {
  const int n = 1 << 24;
  const Point *points = reinterpret_cast<const Point *>(numbers(size_t(n) * 6));
  float *out = numbers(size_t(n) * 2);
  return timed([&] { heights<<<(n + 255) / 256, 256>>>(points, reinterpret_cast<double *>(out), n); }, out, 0);
}
