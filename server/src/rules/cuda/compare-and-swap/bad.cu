// Sums of double, float, minima and bits by compare-and-swap: each has an atomic function.
__device__ double addTo(double *place, double value) {
  unsigned long long *bits = (unsigned long long *)place;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
//                  ^^^^ loop warning
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void least(int *place, int value) {
  int now = *place;
  int seen;
  do {
    seen = now;
    const int next = value < seen ? value : seen;
    now = atomicCAS(place, seen, next);
//                  ^^^^^ loop warning
  } while (now != seen);
}

__global__ void collect(const double *x, const float *y, const int *z, double *sum, float *difference, int *minimum,
                        unsigned *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  addTo(sum, x[i]);
  least(minimum, z[i]);
  unsigned was = *flags, before;
  do {
    before = was;
  } while ((was = atomicCAS(flags, before, before | 1u << z[i] % 32)) != before);
//                          ^^^^^ loop warning
  int old = __float_as_int(*difference), assumed;
  do {
    assumed = old;
    old = atomicCAS((int *)difference, assumed, __float_as_int(__int_as_float(assumed) - y[i]));
//                         ^^^^^^^^^^ loop warning
  } while (assumed != old);
}

void run(const double *x, const float *y, const int *z, double *sum, float *difference, int *minimum,
         unsigned *flags, int n) {
  collect<<<(n + 255) / 256, 256>>>(x, y, z, sum, difference, minimum, flags, n);
}
