// Updates that are needed, that move another part each time, that stand under a condition, or that a call may need.
#include <stdlib.h>
#include <stdio.h>
extern void send(const double *);
extern void exchange(void);
double boundary[100];

void needed(int n, int steps, double *restrict a) {
  #pragma acc data copy(a[0:n])
  for (int step = 0; step < steps; step++) {
    a[0] = step;
    #pragma acc update device(a[0:1])
    #pragma acc parallel loop
    for (int i = 1; i < n; i++) a[i] += a[0];
    #pragma acc update self(a[0:n])
    if (a[n - 1] > 1e6) break;
  }
}

void blocks(int n, int size, double *restrict a) {
  #pragma acc data create(a[0:n])
  for (int first = 0; first < n; first += size) {
    #pragma acc parallel loop async(1)
    for (int i = first; i < first + size; i++) a[i] = i;
    #pragma acc update self(a[first:size]) async(1)
  }
}

void now(int n, int steps, double *restrict a) {
  #pragma acc data copy(a[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] += 1.0;
    if (step % 10 == 0) {
      #pragma acc update self(a[0:n])
      printf("%f\n", a[0]);
    }
  }
}

void calls(int n, int steps, double *restrict a) {
  #pragma acc data copy(a[0:n], boundary)
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) { a[i] += 1.0; boundary[i % 100] = a[i]; }
    #pragma acc update self(a[0:n], boundary)
    send(a);
    exchange();
  }
}

// Rows next to the boundary go to the GPU's halo through the host.
void halo(int n, int m, int steps, double *restrict a) {
  #pragma acc data copy(a[0:n*m])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop
    for (int i = m; i < (n - 1) * m; i++) a[i] += 1.0;
    #pragma acc update self(a[m:m])
    #pragma acc update device(a[0:2*m])
  }
}

struct view { double *values; int count; };
void write_out(const double *values, int count);

// A structure that is made of the pointer leads to the same memory.
void through_structure(int n, int steps) {
  double *a = malloc(n * sizeof(double));
  struct view v = { a, n };
  #pragma acc data create(a[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = step + i;
    #pragma acc update self(a[0:n])
    write_out(v.values, v.count);
  }
}
