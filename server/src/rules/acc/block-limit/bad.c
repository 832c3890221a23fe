// Gangs of more than 1024 threads, in both forms.
#define WORKERS 32

void scale(int n, int m, double *restrict a) {
  #pragma acc parallel loop gang worker num_workers(32) vector_length(64) copy(a[0:n * m])
//                                                  ^^ too-many-threads
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int j = 0; j < m; j++) a[i * m + j] *= 2.0;
  }
}

void shift(int n, int m, double *restrict a) {
  #pragma acc kernels copy(a[0:n * m])
  {
    #pragma acc loop independent gang worker(16)
//                                           ^^ too-many-threads
    for (int i = 0; i < n; i++) {
      #pragma acc loop independent vector(128)
      for (int j = 0; j < m; j++) a[i * m + j] += 1.0;
    }
  }
}

void both(int n, int m, double *restrict a) {
  #pragma acc parallel loop gang copy(a[0:n * m]) device_type(radeon) num_workers(16) vector_length(64) device_type(nvidia) num_workers(8) vector_length(256)
//                                                                                                                                      ^ too-many-threads
  for (int i = 0; i < n; i++) {
    #pragma acc loop worker vector
    for (int j = 0; j < m; j++) a[i * m + j] -= 1.0;
  }
}
