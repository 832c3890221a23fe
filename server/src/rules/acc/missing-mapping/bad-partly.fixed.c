// Only the outer loop of a kernels construct says that it is independent, and the pointers may overlap.
void scaled(int n, int m, double *a, const double *b) {
  #pragma acc kernels present(a, b)
  {
    #pragma acc loop independent
    for (int i = 0; i < n; i++)
      #pragma acc loop independent
      for (int k = 0; k < m; k++)
        a[i * m + k] = 2.0 * b[i * m + k];
  }
}

// Both say so, or the pointers are promised to be apart.
void both(int n, int m, double *a, const double *b, double *restrict c, const double *restrict d) {
  #pragma acc kernels present(a, b, c, d)
  {
    #pragma acc loop independent
    for (int i = 0; i < n; i++)
      #pragma acc loop independent
      for (int k = 0; k < m; k++)
        a[i * m + k] = 2.0 * b[i * m + k];
    #pragma acc loop independent
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m; k++)
        c[i * m + k] = 2.0 * d[i * m + k];
  }
}
