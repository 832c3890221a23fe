// Loops that are mapped, that the compiler maps, that cannot be shared out, or that are meant to run in one gang.
void mapped(int n, int m, double *restrict a, double *restrict sums) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] *= 2.0;
  }
  #pragma acc parallel loop gang vector present(a)
  for (int i = 0; i < n * m; i++) a[i] *= 2.0;
  #pragma acc kernels present(a)
  {
    for (int i = 0; i < n * m; i++) a[i] *= 2.0;
  }
  #pragma acc parallel num_gangs(1) present(a)
  {
    for (int i = 0; i < n; i++) a[i] = 0.0;
  }
  #pragma acc parallel loop gang vector present(a)
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++) a[i * m + j] += a[i * m + j - 1];
  }
  #pragma acc parallel loop present(a, sums)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int c = 0; c < 3; c++) sum += a[3 * i + c];
    sums[i] = sum;
  }
}

double walk(int at);

// What the function does is not in sight.
void calls(int n, int m, double *restrict a) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) a[i * m + j] = walk(i * m + j);
  }
}

// Lanes on the outer loop are side by side.
void columns(int n, int m, const double *restrict a, double *restrict sums) {
  #pragma acc parallel loop present(a, sums)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < m; j++) sum += a[j * n + i];
    sums[i] = sum;
  }
}
