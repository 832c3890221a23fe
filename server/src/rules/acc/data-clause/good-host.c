// Regions that may run on the host, where the GPU's copy stays what it was.
#include <stdlib.h>
#define N 4096
void maybe(int gpu, double *restrict y, const double *restrict z) {
  #pragma acc data copy(y[0:N])
  {
    #pragma acc parallel loop if(gpu)
    for (int i = 0; i < N; i++) y[i] = z[i];
  }
}

// Ten elements take as long one way as none.
void few(double *restrict sums, const double *restrict a, int n) {
  #pragma acc parallel loop copyin(a[0:10*n]) copy(sums[0:10])
  for (int i = 0; i < 10; i++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = 0; k < n; k++) sum += a[i * n + k];
    sums[i] = sum;
  }
}

// A function may give the program's array: two clauses of one memory.
double first_half[N], second_half[N];
double *half(int which) { return which ? first_half : second_half; }
void halves(int which) {
  double *chosen = half(which);
  #pragma acc parallel loop copy(chosen[0:N], first_half)
  for (int i = 0; i < N; i++) chosen[i] = first_half[i];
  #pragma acc data copy(first_half, second_half)
  {
    double *inner = half(which);
    #pragma acc parallel loop present(inner[0:N])
    for (int i = 0; i < N; i++) inner[i] = i;
  }
}

// Written in one arm of an expression.
void arms(double *restrict x, const double *restrict y) {
  #pragma acc parallel loop copy(x[0:N]) present(y[0:N])
  for (int i = 0; i < N; i++) { double z = y[i] > 3.0 ? (x[i] = 2.0) : 1.0; second_half[i] = z; }
}
