// What no atomic function does, is none by another name, or is one already.
__device__ float atomicMaxOf(float *place, float value) {
  int *bits = (int *)place;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__device__ double productOf(double *place, double value) {
  unsigned long long *bits = (unsigned long long *)place;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value * __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

// The sum is rounded once, from double; atomicAdd would round the value first.
__device__ void addRounded(float *place, double value) {
  unsigned *bits = (unsigned *)place;
  unsigned old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) + value));
  } while (assumed != old);
}

// Each try adds another value; a counter that stops at a limit; a lock.
__device__ void others(int *place, int value, int limit, int *lock) {
  int old = *place, assumed;
  do {
    assumed = old;
    value++;
    old = atomicCAS(place, assumed, assumed + value);
  } while (assumed != old);
  do {
    assumed = old;
    if (assumed >= limit) break;
    old = atomicCAS(place, assumed, assumed + 1);
  } while (assumed != old);
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  atomicExch(lock, 0);
}

#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *address, double val) {
  unsigned long long *bits = (unsigned long long *)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif

__global__ void collect(const float *x, const double *y, const int *z, float *most, double *product, int *count,
                        int *lock, int limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMaxOf(most, x[i]);
  productOf(product, y[i]);
  addRounded(most + 1, y[i]);
  others(count, z[i], limit, lock);
}

void run(const float *x, const double *y, const int *z, float *most, double *product, int *count, int *lock,
         int limit, int n) {
  collect<<<(n + 255) / 256, 256>>>(x, y, z, most, product, count, lock, limit, n);
}
