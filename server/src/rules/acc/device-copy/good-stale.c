// Copies that directives, branches, queues' callers, other names and unknown code bring up to date.
#include <stdio.h>
#include <stdlib.h>
void sync(double *);
void acc_update_self(double *, size_t);
static double *shared;

static void step(double *u, int n, int output) {
  #pragma acc parallel loop present(u[0:n])
  for (int i = 1; i < n - 1; i++) u[i] = 2 * u[i];
  if (output) {
    #pragma acc update self(u[0:n])
    printf("%f\n", u[1]);
  }
  printf("%f\n", u[0]);
}

void run(int n, int steps) {
  double *u = malloc(n * sizeof *u);
  for (int i = 0; i < n; i++) u[i] = i;
  #pragma acc data copy(u[0:n])
  for (int s = 0; s < steps; s++) step(u, n, s % 10 == 0);
  printf("%f\n", u[1]);
  free(u);
}

void unknown(double *a, double *b, int n) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = i;
  printf("%f\n", a[0]);
  #pragma acc parallel loop present(b[0:n])
  for (int i = 0; i < n; i++) b[i] = i;
  sync(b);
  printf("%f\n", b[0]);
  #pragma acc parallel loop present(b[0:n])
  for (int i = 0; i < n; i++) b[i] += i;
  acc_update_self(b, n * sizeof *b);
  printf("%f\n", b[0]);
}

void other(int n) {
  double *a = malloc(n * sizeof *a), *p = a;
  shared = a;
  #pragma acc data create(a[0:n])
  {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma acc update self(p[0:n])
    printf("%f %f\n", a[0], shared[0]);
  }
  free(a);
}

void overwritten(int n) {
  double *a = malloc(n * sizeof *a);
  #pragma acc enter data create(a[0:n])
  for (int i = 0; i < n; i++) a[i] = i;
  #pragma acc parallel loop present(a[0:n])
  for (int i = 0; i < n; i++) {
    a[i] = 1;
    a[i] += i;
  }
  #pragma acc exit data copyout(a[0:n])
  printf("%f\n", a[0]);
  free(a);
}

void gather(double *u, int n) {
  struct { double *u; } all = { u }, same;
  #pragma acc parallel loop present(all.u[0:n])
  for (int i = 0; i < n; i++) all.u[i] = i;
  same = all;
  #pragma acc parallel loop present(same.u[0:n])
  for (int i = 0; i < n; i++) same.u[i] += i;
}

// A pointer that a header may set: nothing is known of where it leads.
void undeclared(double *restrict out, int n)
{
#ifdef __GNUC__
  const double *first = ({ extern double *pool; pool; });
#pragma acc parallel loop present(first[0:n], out[0:n])
  for (int i = 0; i < n; i++) out[i] = first[i];
#endif
}
