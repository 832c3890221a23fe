// Clauses of other directives, behind device_type, twice, and beside what excludes them.
void scale(double *a, int n) {
  double t = 0;
#pragma acc parallel copy(a[0:n]) gang
//                                ^^^^ not-allowed error
  {
#pragma acc loop independent independent
//                           ^^^^^^^^^^^ repeated warning
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
#pragma acc parallel loop copy(a[0:n]) device_type(nvidia) vector_length(64) private(t)
//                                                                           ^^^^^^^ after-device-type
  for (int i = 0; i < n; ++i) { t = a[i]; a[i] = t * t; }
#pragma acc kernels loop copy(a[0:n]) use_device(a) independent
//                                    ^^^^^^^^^^ not-allowed
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
