// A difference of float, whose pointer is cast in the call; a sum of double that reads the place each time.
// trades for: cuda/atomic-contention global
__device__ void addTo(double *place, double value) {
  unsigned long long *bits = (unsigned long long *)place;
  unsigned long long seen;
  do {
    seen = *bits;
  } while (atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen))) != seen);
//                   ^^^^ loop warning
}

__global__ void collect(const float *y, float *difference, double *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  addTo(sum, y[i]);
  int old = __float_as_int(*difference), assumed;
  do {
    assumed = old;
    old = atomicCAS((int *)difference, assumed, __float_as_int(__int_as_float(assumed) - y[i]));
//                         ^^^^^^^^^^ loop warning
  } while (assumed != old);
}

void run(const float *y, float *difference, double *sum, int n) {
  collect<<<(n + 255) / 256, 256>>>(y, difference, sum, n);
}
