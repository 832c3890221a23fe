// The lanes are in use around the call: no level is right for what calls a vector routine.
#pragma acc routine vector
void scale(int n, float *a) {
#pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void each(int n, float *a) { scale(n, a); }
void rows(int m, int n, float *a) {
#pragma acc parallel loop gang vector present(a)
  for (int i = 0; i < m; i++) each(n, a + i * n);
//                            ^^^^ not-for-device
}
