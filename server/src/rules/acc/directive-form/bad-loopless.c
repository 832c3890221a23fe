// Directives for a loop before anything else.
void scale(float *a, float *b, int n) {
#pragma acc parallel loop copy(a[0:n])
//          ^^^^^^^^^^^^^ loop-missing error
  // for (int i = 0; i < n; i++)
  a[0] = 2.0f * a[0];
#pragma acc kernels loop copy(a[0:n])
//          ^^^^^^^^^^^^ loop-missing
  {
    for (int i = 0; i < n; i++) a[i] = 3.0f * a[i];
  }
#pragma acc parallel copy(a[0:n], b[0:n])
  {
#pragma acc loop
//          ^^^^ loop-missing
    if (n > 1) b[1] = a[0];
  }
#pragma acc serial loop copy(a[0:n])
//          ^^^^^^^^^^^ loop-missing
}
