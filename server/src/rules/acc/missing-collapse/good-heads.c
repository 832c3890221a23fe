// Loops that a declaration, a compiler's own directive or a condition of the preprocessor keeps apart.
void apart(int m, double *restrict a) {
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
    int j;
    for (j = 0; j < m; j++) a[i * m + j] += 1.0;
  }
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
    #pragma GCC ivdep
    for (int j = 0; j < m; j++) a[i * m + j] += 1.0;
  }
  #pragma acc parallel loop gang present(a)
  for (int i = 0; i < 8; i++) {
#ifdef WHOLE
    for (int j = 0; j < m; j++)
#else
    for (int j = 0; j < m - 1; j++)
#endif
      a[i * m + j] += 1.0;
  }
}
