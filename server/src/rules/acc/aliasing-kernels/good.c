// Promises that are made, memory that is known to be apart, types that differ, iterations that really depend on each other.
#include <stdlib.h>
#define SIZE 1000

static double table[SIZE], other[SIZE];

void promised(int n, double *restrict a, const double *b) {
  #pragma acc kernels copyin(b[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++) a[i] = b[i];
}

void independent(int n, double *a, const double *b) {
  #pragma acc kernels copyin(b[0:n]) copyout(a[0:n])
  #pragma acc loop independent
  for (int i = 0; i < n; i++) a[i] = b[i];
}

void parallel(int n, double *a, const double *b) {
  #pragma acc parallel loop copyin(b[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++) a[i] = b[i];
}

void arrays(void) {
  #pragma acc kernels
  for (int i = 0; i < SIZE; i++) table[i] = other[i];
}

void ofTwoTypes(int n, double *a, const int *index) {
  #pragma acc kernels copyin(index[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++) a[i] = index[i];
}

void dependent(int n, double *a, const double *b) {
  #pragma acc kernels copyin(b[0:n]) copy(a[0:n])
  for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];
}

double allocated(int n) {
  double *a = (double *)malloc(n * sizeof(double)), *b = (double *)calloc(n, sizeof(double));
  #pragma acc kernels copyin(b[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++) a[i] = b[i] + 1.0;
  double first = a[0];
  free(a);
  free(b);
  return first;
}
