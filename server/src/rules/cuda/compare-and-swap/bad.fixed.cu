// Sums of double, float, minima and bits by compare-and-swap: each has an atomic function.
__device__ double addTo(double *place, double value) {
  return atomicAdd(place, value);
}

__device__ void least(int *place, int value) {
  atomicMin(place, value);
}

__global__ void collect(const double *x, const float *y, const int *z, double *sum, float *difference, int *minimum,
                        unsigned *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  addTo(sum, x[i]);
  least(minimum, z[i]);
  atomicOr(flags, 1u << z[i] % 32);
  atomicAdd(difference, -y[i]);
}

void run(const double *x, const float *y, const int *z, double *sum, float *difference, int *minimum,
         unsigned *flags, int n) {
  collect<<<(n + 255) / 256, 256>>>(x, y, z, sum, difference, minimum, flags, n);
}
