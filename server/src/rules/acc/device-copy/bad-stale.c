// Copies out of step: results that stay on the GPU, values that stay on the host, and copies that are not there.
#include <stdio.h>
#include <stdlib.h>
int MPI_Send(const void *, int, int, int, int, int);
typedef struct { double *x; int n; } points;

static void dot(const double *a, double *sum, int n) {
  #pragma acc parallel present(a[0:n], sum[0:1])
  {
    double s = 0;
    #pragma acc loop reduction(+:s)
    for (int i = 0; i < n; i++) s += a[i] * a[i];
    sum[0] = s;
  }
  MPI_Send(sum, 1, 0, 1, 0, 0);
//         ^^^ host-stale warning
}

static void advance(double *u, int n) {
  #pragma acc parallel loop present(u[0:n])
  for (int i = 0; i < n; i++) u[i] = 2 * u[i];
}

double run(int n, int steps) {
  double *u = malloc(n * sizeof *u);
  #pragma acc data create(u[0:n])
  {
    for (int i = 0; i < n; i++) u[i] = i;
    for (int step = 0; step < steps; step++)
      advance(u, n);
//    ^^^^^^^^^^^^^ device-stale warning
    printf("%f\n", u[n / 2]);
//                 ^^^^^^^^ host-stale warning
  }
  free(u);
  return 0;
}

void shallow(int n) {
  points s, t;
  s.x = malloc(n * sizeof *s.x);
  t.x = malloc(n * sizeof *t.x);
  #pragma acc enter data copyin(t.x[0:n])
  #pragma acc enter data copyin(t)
//                              ^ attached-before warning
  #pragma acc data copyin(s)
  {
    #pragma acc parallel loop present(s)
    for (int i = 0; i < n; i++) s.x[i] = i;
//                              ^^^^^^ member-absent warning
  }
  #pragma acc exit data delete(t, t.x[0:n])
}

void leave(int n) {
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  #pragma acc enter data copyin(a[0:n])
  #pragma acc exit data delete(b[0:n])
//                             ^^^^^^ no-effect information
  free(a);
//     ^ freed-present warning
}

void keep(int n) {
  double *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i;
  #pragma acc data copyin(a[0:n])
  {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] *= 2;
    printf("%f\n", a[1]);
//                 ^^^^ host-original information
  }
  free(a);
}

void missing(int n) {
  double *b = malloc(n * sizeof *b);
  #pragma acc update device(b[0:n])
//                          ^^^^^^ absent warning
  free(b);
}
