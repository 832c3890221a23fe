// The contiguous loop two levels down, and calls of routines that are handed numbers by value.
void three(int n, int rows, double *restrict a, const double *restrict b) {
  #pragma acc parallel loop present(a, b)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      #pragma acc loop vector
      for (int k = 0; k < n; k++)
        a[(i * n + j) * n + k] = 2.0 * b[(i * n + j) * n + k];
}

void components(int n, int rows, double a[restrict rows][3][n]) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < rows; i++)
    for (int c = 0; c < 3; c++)
      #pragma acc loop vector
      for (int k = 0; k < n; k++)
        a[i][c][k] *= 2.0;
}

#pragma acc routine seq
static double blend(double x, double y) { return x * 0.5 + y * 0.5; }

#pragma acc routine seq
double weight(double x, int k);

void blended(int n, int m, double *restrict a, const double *restrict b) {
  #pragma acc parallel loop gang present(a, b)
  for (int i = 0; i < n; i++)
    #pragma acc loop vector
    for (int k = 0; k < m; k++)
      a[i * m + k] = blend(b[i * m + k], 1.0);
}

void weighted(int n, int m, double *restrict a, const double *restrict b) {
  #pragma acc parallel loop gang present(a, b)
  for (int i = 0; i < n; i++)
    #pragma acc loop vector
    for (int k = 0; k < m; k++)
      a[i * m + k] = weight(b[i * m + k], k);
}
