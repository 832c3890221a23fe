// An iteration reads what another one, one before it, writes.
void prefix(int n, int m, float *restrict a) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 1; i < n; i++) a[i] = a[i] + a[i - 1];
//                            ^^^^ carried error
  #pragma acc kernels copy(a[0:n * m])
  {
    #pragma acc loop independent
    for (int i = 1; i < n; i++)
      for (int j = 0; j < m; j++) a[i * m + j] *= a[(i - 1) * m + j];
//                                ^^^^^^^^^^^^ carried
  }
}
