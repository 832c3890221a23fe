// What is read and written, what is written in part, what is on the GPU already, and what may be reached another way.
#include <stddef.h>
extern void work(double *);
double shared[100];

void inPart(int n, double *restrict a, double *restrict b, double *restrict c) {
  #pragma acc parallel loop copy(a[0:n], b[0:n], c[0:n])
  for (int i = 1; i < n; i++) {
    a[i] = 1.0;
    if (i % 2) b[i] = 2.0;
    c[i - 1] = c[i];
  }
}

void present(int n, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n], b[0:n])
  {
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) a[i] += b[i];
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) b[i] += a[i];
  }
}

void called(int n, double *a) {
  #pragma acc data copy(a[0:n], shared)
  {
    work(a);
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) shared[0] = a[i];
  }
}

void alias(int n, double *a, double *out) {
  double *half = a + n / 2;
  #pragma acc parallel loop copyin(a[0:n]) copyout(out[0:n / 2])
  for (int i = 0; i < n / 2; i++) out[i] = half[i];
}

struct field { int n; double *values; };
void members(struct field f) {
  #pragma acc data copyin(f) copy(f.values[0:f.n])
  {
    #pragma acc parallel loop present(f)
    for (int i = 0; i < f.n; i++) f.values[i] *= 2.0;
  }
}

void onHost(int n, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n]) copyout(b[0:n])
  {
    a[0] = 1.0;
    #pragma acc update device(a[0:1])
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) b[i] = a[i];
  }
}

// A caller may give the same array twice: then the two clauses are of one memory.
void overlapping(int n, double *x, double *y) {
  #pragma acc parallel loop copy(x[0:n], y[0:n])
  for (int i = 0; i < n; i++) y[i] = 2.0 * x[i] + y[i];
}

// Another function of the file brings it to the GPU: the clause finds it there.
static void enter(int n, double *restrict held) {
  #pragma acc enter data copyin(held[0:n])
}
double there(int n, double *restrict held) {
  double sum = 0.0;
  enter(n, held);
  #pragma acc parallel loop reduction(+:sum) copy(held[0:n])
  for (int i = 0; i < n; i++) sum += held[i];
  return sum;
}
