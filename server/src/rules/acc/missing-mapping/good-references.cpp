// Every iteration of the inner loop writes the same element, by another name.
void references(double *__restrict d, double *__restrict s, int n, int m) {
  #pragma acc parallel loop present(d, s)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) { double &first = s[0]; first = d[i * m + j]; }
  }
  #pragma acc parallel loop present(d, s)
  for (int i = 0; i < n; ++i) {
    double &total = s[i];
    for (int j = 0; j < m; ++j) total += d[i * m + j];
  }
}
