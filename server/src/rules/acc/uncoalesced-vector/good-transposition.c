// A transposition that counts one of its arrays in two statements: an interchange moves the same bytes.
void transpose(int n, double *restrict a, double *restrict b) {
#pragma acc parallel loop gang present(a[0:n*n], b[0:n*n])
  for (int i = 0; i < n; i++) {
#pragma acc loop vector
    for (int j = 0; j < n; j++) {
      b[i * n + j] += a[j * n + i];
      a[j * n + i] += 1.0;
    }
  }
}
