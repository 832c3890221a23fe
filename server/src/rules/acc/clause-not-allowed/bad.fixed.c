// Clauses of other directives, behind device_type, twice, and beside what excludes them.
void scale(double *a, int n) {
  double t = 0;
#pragma acc parallel copy(a[0:n])
  {
#pragma acc loop independent
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
#pragma acc parallel loop copy(a[0:n]) private(t) device_type(nvidia) vector_length(64)
  for (int i = 0; i < n; ++i) { t = a[i]; a[i] = t * t; }
#pragma acc kernels loop copy(a[0:n]) independent
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
