// Directives of another dialect.
void pass(int n, float *restrict a) {
#pragma acc parallel copy(a[0:n])
  {
#pragma acc barrier
//          ^^^^^^^ directive information
#pragma acc loop
    for (int i = 0; i < n; i++) a[i] *= 2;
  }
}
