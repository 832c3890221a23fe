// The same clauses where they may stand: again behind each device_type, and what may repeat.
void scale(double *a, double *b, int n) {
  double t = 0;
#pragma acc parallel loop gang vector vector_length(64) private(t) copy(a[0:n]) copy(b[0:n]) device_type(nvidia) vector_length(128) device_type(host) vector_length(1)
  for (int i = 0; i < n; ++i) { t = a[i]; a[i] = t * b[i]; }
#pragma acc parallel copy(a[0:n])
  {
#pragma acc loop gang device_type(host) seq
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
#pragma acc update self(a[0:n]) wait(1) wait(2)
}
