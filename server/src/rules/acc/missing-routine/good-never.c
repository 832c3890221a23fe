// A trace that no compiler keeps.
#include <stdio.h>

static void trace(const double *x, int n) {
  for (int i = 0; i < n; i++) printf("%g\n", x[i]);
}

#pragma acc routine seq
static double largest(const double *x, int n, int verbose) {
  double most = x[0];
  if (0 && verbose) {
    trace(x, n);
  }
  for (int i = 1; i < n; i++)
    if (x[i] > most) most = x[i];
  return most;
}

void peaks(int n, const double *restrict x, double *restrict out) {
  #pragma acc parallel loop copyin(x[0:8 * n]) copyout(out[0:n])
  for (int i = 0; i < n; i++) out[i] = largest(&x[8 * i], 8, 1);
}
