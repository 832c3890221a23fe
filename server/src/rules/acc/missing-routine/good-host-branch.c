// The host's branch of a macro that the build for the GPU defines.
static int trace(int i) {
  static int calls;
  return calls += i;
}
void scale(int n, float *restrict a) {
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    a[i] *= 2;
#ifndef ACC
    trace(i);
#endif
#ifdef ACC
    a[i] += 1;
#else
    trace(i);
#endif
#if !defined(_OPENACC)
    trace(i);
#endif
  }
}
#ifndef ACC
#pragma acc routine seq
void report(int i) { trace(i); }
#endif
