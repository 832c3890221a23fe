// Loops of a parallel construct that nothing shares out.
void fill(int n, double *restrict a, double *restrict b) {
  #pragma acc parallel present(a, b)
  {
    for (int i = 0; i < n; i++) a[i] = 1.0;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ redundant
    #pragma acc loop gang vector
    for (int i = 0; i < n; i++) b[i] = 2.0;
  }
}

void scale(int n, int m, double *restrict a) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < n; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    for (int j = 0; j < m; j++) {
      a[i * m + j] *= 2.0;
    }
  }
}

void norms(int n, int m, const double *restrict a, double *restrict norm) {
  double square, largest;
  #pragma acc parallel loop present(a, norm)
  for (int i = 0; i < n; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ inner-unmapped
    double sum = 0.0;
    for (int j = 0; j < m; j++) {
      square = a[i * m + j] * a[i * m + j];
      sum += square;
    }
    norm[i] = sum;
  }
}

void bands(int n, const double *restrict a, double *restrict sums) {
  #pragma acc parallel loop gang vector present(a, sums)
  for (int b = 0; b < 4; b++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ tiny-outer
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[b * n + i];
    sums[b] = sum;
  }
}

// Nothing says that the two do not overlap.
void copy(int n, const float *from, float *to) {
  #pragma acc parallel copyin(from[0:n]) copyout(to[0:n])
  for (int i = 0; i < n; i++) to[i] = from[i];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ redundant
}
