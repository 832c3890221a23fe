// A sum of double by compare-and-swap, in a function that returns the old value.
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

__global__ void collect(const double *x, double *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) addTo(sum, x[i]);
}

void run(const double *x, double *sum, int n) { collect<<<(n + 255) / 256, 256>>>(x, sum, n); }
