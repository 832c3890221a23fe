// Directives before the definition, before the declaration, by name; and calls of the host.
#include <math.h>
#include <stdio.h>

#pragma acc routine seq
static double square(double x) { return x * x; }

#pragma acc routine seq
double cube(double x);
double cube(double x) { return x * x * x; }

static double half(double x);
#pragma acc routine(half) seq
static double half(double x) { return 0.5 * x; }

#pragma acc routine seq
extern double outOfSight(double x);
static void report(double x) { printf("%f\n", x); }

void all(int n, double *restrict a) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = square(cube(half(sin(a[i])))) + outOfSight(a[i]);
  report(a[0]);
}
