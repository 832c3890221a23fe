// Loops that the fix leaves: the old value is used later, the first value comes from elsewhere, no pointer to float is
// there, a comment or a macro is in them.
#define NEXT(bits, value) ((bits) + (value))

__global__ void collect(unsigned *sums, const unsigned *x, unsigned *before, unsigned *bits, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned old = sums[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(&sums[0], assumed, assumed + x[i]);
//                   ^^^^^^^ loop warning
  } while (assumed != old);
  before[i] = old;
  unsigned now = 0, seen;
  do {
    seen = now;
    now = atomicCAS(sums + 1, seen, seen + x[i]);
//                  ^^^^^^^^ loop hint
  } while (seen != now);
  unsigned last = *bits, tried;
  do {
    tried = last;
    last = atomicCAS(bits, tried, __float_as_uint(__uint_as_float(tried) + y[i]));
//                   ^^^^ loop warning
  } while (tried != last);
  unsigned one = sums[2], other;
  do {
    other = one;  // what it was
    one = atomicCAS(&sums[2], other, other + x[i]);
//                   ^^^^^^^ loop hint
  } while (other != one);
  unsigned first = sums[3], second;
  do {
    second = first;
    first = atomicCAS(&sums[3], second, NEXT(second, x[i]));
//                     ^^^^^^^ loop hint
  } while (second != first);
}

void run(unsigned *sums, const unsigned *x, unsigned *before, unsigned *bits, const float *y, int n) {
  collect<<<(n + 255) / 256, 256>>>(sums, x, before, bits, y, n);
}
