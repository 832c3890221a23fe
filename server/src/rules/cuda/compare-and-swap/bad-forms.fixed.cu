// Loops that are left where the swap found what it assumed, whatever their form.
// trades for: cuda/atomic-contention counter
__device__ void lower(int *place, int value) {
  atomicMin(place, value);
}

__device__ void raise(int *place, int value) {
  atomicMax(place, value);
}

__device__ void mark(unsigned *place, unsigned bit) {
  atomicOr(place, bit);
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
