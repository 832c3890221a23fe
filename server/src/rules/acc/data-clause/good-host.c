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
