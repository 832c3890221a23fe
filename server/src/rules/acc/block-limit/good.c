// Gangs that fit, sizes that the text does not tell, and sizes for another device.
void scale(int n, int m, int workers, double *restrict a) {
  #pragma acc parallel loop gang worker num_workers(8) vector_length(128) copy(a[0:n * m])
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] *= 2.0;
  }
  #pragma acc parallel loop gang worker num_workers(workers) vector_length(128) copy(a[0:n * m])
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] *= 2.0;
  }
  #pragma acc parallel loop gang worker copy(a[0:n * m]) num_workers(4) vector_length(64) device_type(radeon) num_workers(32) vector_length(64)
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] *= 2.0;
  }
  #pragma acc parallel loop gang num_workers(32) copy(a[0:n * m])
  for (int i = 0; i < n * m; i++) a[i] *= 2.0;
}
