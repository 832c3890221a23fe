// Waits that are needed: for the host, for another queue; regions that hang together; regions that copy.
#include <stdio.h>

void looked(int n, int steps, double *restrict a) {
  #pragma acc data copy(a[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++) a[i] += 1.0;
    #pragma acc update self(a[0:1]) async(1)
    #pragma acc wait(1)
    printf("%f\n", a[0]);
  }
}

void queues(int n, int steps, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n], b[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++) a[i] += 1.0;
    #pragma acc parallel loop async(2)
    for (int i = 0; i < n; i++) b[i] += 1.0;
    #pragma acc wait
  }
}

void chained(int n, int steps, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n], b[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] += b[i];
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) b[i] += a[i];
    #pragma acc update self(b[0:1])
    printf("%f\n", b[0]);
  }
}

double sums(int n, int steps, const double *restrict a, const double *restrict b) {
  double all = 0.0;
  #pragma acc data copyin(a[0:n], b[0:n])
  for (int step = 0; step < steps; step++) {
    double first = 0.0, second = 0.0;
    #pragma acc parallel loop reduction(+:first)
    for (int i = 0; i < n; i++) first += a[i];
    #pragma acc parallel loop reduction(+:second)
    for (int i = 0; i < n; i++) second += b[i];
    all += first * second;
  }
  return all;
}

void once(int n, double *restrict a, double *restrict b) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] += 1.0;
  #pragma acc parallel loop copy(b[0:n])
  for (int i = 0; i < n; i++) b[i] += 1.0;
}
