// Enough iterations outside, statements between, a bound that hangs on the outer loop, a sum inside, and loops that are joined already.
void enough(int n, int m, double *restrict a) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] += 1.0;
  }
  #pragma acc parallel loop gang vector collapse(2) present(a)
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < m; j++) a[i * m + j] += 1.0;
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
    const double by = a[i * m];
    #pragma acc loop vector
    for (int j = 1; j < m; j++) a[i * m + j] += by;
  }
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
    #pragma acc loop vector
    for (int j = i; j < m; j++) a[i * m + j] += 1.0;
  }
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
    #pragma acc loop seq
    for (int j = 1; j < m; j++) a[i * m + j] += a[i * m + j - 1];
  }
}
