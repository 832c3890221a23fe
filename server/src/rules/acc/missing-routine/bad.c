// Functions of the same file, called on the GPU and compiled for the host alone.
#include <math.h>

static double square(double x) { return x * x; }

// Calls another one in turn.
static double length(double x, double y) {
  return sqrt(square(x) + square(y));
}

void lengths(int n, const double *restrict x, const double *restrict y, double *restrict out) {
  #pragma acc parallel loop copyin(x[0:n], y[0:n]) copyout(out[0:n])
  for (int i = 0; i < n; i++) out[i] = length(x[i], y[i]);
//                                     ^^^^^^ not-for-device warning
}
