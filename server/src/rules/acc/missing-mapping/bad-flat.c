// Gangs and workers without a vector, in each form of the directives.
void shift(int n, double *restrict b, double *restrict c) {
  double half;
  #pragma acc parallel loop gang worker present(b)
  for (int j = 0; j < n; j++) b[j] = b[j] + 1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ no-vector warning
  #pragma acc kernels loop gang present(b)
  for (int j = 0; j < n; j++) b[j] = b[j] + 1;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ no-vector warning
  #pragma acc parallel num_workers(4) present(b, c)
  {
    #pragma acc loop gang worker
    for (int j = 0; j < n; j++) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ no-vector warning
      half = 0.5 * b[j];
      c[j] = half + 1;
    }
  }
  #pragma acc parallel loop collapse(2) gang present(b)
  for (int i = 0; i < n; i++)
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ no-vector warning
    for (int j = 0; j < n; j++) b[i * n + j] *= 2;
  #pragma acc parallel loop gang present(b)
  for (int i = 0; i < n; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ no-vector warning
    #pragma acc loop worker
    for (int j = 0; j < n; j++) b[i * n + j] *= 2;
  }
}
