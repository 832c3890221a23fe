// Sums, products and maxima over the iterations of parallel loops, none of them named by a reduction.
#include <math.h>

double sum(int n, const double *restrict a) {
  double total = 0.0;
  #pragma acc parallel loop copyin(a[0:n])
  for (int i = 0; i < n; i++) total += a[i];
//                            ^^^^^ race warning
  return total;
}

double largest(int n, int m, const double *restrict a) {
  double most = 0.0;
  int count = 0;
  #pragma acc parallel copyin(a[0:n * m]) copy(count)
  {
    #pragma acc loop gang device_type(nvidia) worker
    for (int i = 0; i < n; i++) {
      #pragma acc loop vector
      for (int j = 0; j < m; j++) {
        most = fmax(most, a[i * m + j]);
//      ^^^^ race
        if (a[i * m + j] < 0.0) count++;
//                              ^^^^^ race
      }
    }
  }
  return most + count;
}

// The row's sum begins anew in each iteration of the outer loop; the lanes of the inner one share it.
void rows(int n, int m, const double *restrict a, double *restrict out) {
  #pragma acc parallel loop gang copyin(a[0:n * m]) copyout(out[0:n])
  for (int i = 0; i < n; i++) {
    double row = 0.0;
    #pragma acc loop vector
    for (int j = 0; j < m; j++) row = row + a[i * m + j];
//                              ^^^ race
    out[i] = row;
  }
}
