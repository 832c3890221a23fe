// nvc holds what the GPU computed against the host's values (PCAST).
void scale(double *a, int n) {
#pragma acc data copy(a[0:n])
  {
#pragma acc parallel loop present(a)
    for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc compare(a[0:n])
  }
}
