// Loops that are left where the swap found what it assumed, whatever their form.
// trades for: cuda/atomic-contention counter
__device__ void lower(int *place, int value) {
  int old = *place;
  while (value < old) {
    int assumed = old;
    old = atomicCAS(place, assumed, value);
//                  ^^^^^ loop hint
    if (old == assumed) break;
  }
}

__device__ void raise(int *place, int value) {
  int now = *place, seen;
  while (now < value) {
    seen = now;
    if ((now = atomicCAS(place, seen, value)) == seen) break;
//                       ^^^^^ loop hint
  }
}

__device__ void mark(unsigned *place, unsigned bit) {
  for (;;) {
    const unsigned seen = *place;
    const unsigned next = seen | bit;
    if (atomicCAS(place, seen, next) == seen) break;
//                ^^^^^ loop warning
  }
}

__global__ void collect(const int *x, int *extremes, unsigned *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  lower(extremes, x[i]);
  raise(extremes + 1, x[i]);
  mark(flags, 1u << x[i] % 32);
}

void run(const int *x, int *extremes, unsigned *flags, int n) {
  collect<<<(n + 255) / 256, 256>>>(x, extremes, flags, n);
}
