// Lanes that a routine uses, that the compiler may choose, that a clause turns off; and fewer iterations than
// multiprocessors.
#pragma acc routine vector
static double total(int n, const double *a) {
  double sum = 0;
  #pragma acc loop vector reduction(+:sum)
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}

void sums(int m, int n, const double *restrict a, double *restrict s) {
  #pragma acc parallel loop gang present(a, s)
  for (int i = 0; i < m; i++) s[i] = total(n, a + i * n);
  #pragma acc parallel loop gang present(a, s)
  for (int i = 0; i < m; i++) {
    #pragma acc loop
    for (int j = 0; j < n; j++) s[i * n + j] = a[i * n + j];
  }
  #pragma acc parallel loop gang vector_length(1) present(a, s)
  for (int i = 0; i < m; i++) s[i] = a[i];
  #pragma acc parallel loop gang present(a, s)
  for (int i = 0; i < 16; i++) s[i] = a[i];
  #pragma acc parallel loop gang present(a, s) device_type(nvidia) gang vector
  for (int i = 0; i < m; i++) s[i] = a[i];
}
