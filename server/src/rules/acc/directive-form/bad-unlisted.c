// Variables that `default(none)` leaves out, scalars among them.
void lists(int n, float *restrict a, const float *restrict b, float factor) {
  #pragma acc parallel loop default(none) copy(a[0:n])
//                          ^^^^^^^^^^^^^ unlisted error
  for (int i = 0; i < n; i++) a[i] = b[i] * factor;
}
