// The regions stand in functions that the solver's loop calls, and each brings its arrays and takes them back.
#include <stdlib.h>

static double product(int n, const double *restrict a, const double *restrict b) {
  double sum = 0.0;
  #pragma acc parallel loop reduction(+:sum) copyin(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void add(int n, double alpha, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

int main(void) {
  const int n = 1 << 20;
  double *x = (double *)malloc(n * sizeof(double)), *y = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) { x[i] = 1.0; y[i] = i; }
  double norm = 1.0;
  for (int turn = 0; turn < 100 && norm > 1e-6; turn++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ through-calls warning
    add(n, -0.5, y, x);
    norm = product(n, x, x);
  }
  free(x);
  free(y);
  return norm > 1e-6;
}
