// A procedure has the level of the strongest routine that it calls.
#pragma acc routine vector
float total(int n, const float *a) {
  float s = 0;
#pragma acc loop vector reduction(+ : s)
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
float mean(int n, const float *a) { return total(n, a) / n; }
void rows(int m, int n, const float *restrict a, float *restrict r) {
#pragma acc parallel loop gang present(a, r)
  for (int i = 0; i < m; i++) r[i] = mean(n, a + i * n);
//                                   ^^^^ not-for-device
}
