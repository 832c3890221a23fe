// The function uses a global variable, which needs a `declare` of its own: no edit is offered.
static int seed = 1;
static int drawn(int i) { return i * seed; }

void numbers(int n, int *restrict out) {
  #pragma acc kernels copyout(out[0:n])
  for (int i = 0; i < n; i++) out[i] = drawn(i);
//                                     ^^^^^ not-for-device
}
