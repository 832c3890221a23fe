// Iterations that meet in a scratch array and in the elements of a histogram; sizes that leave most gangs out.
void filter(int n, const float a[restrict n][64], float *restrict out) {
  float scratch[64];
  #pragma acc kernels copyin(a[0:n]) copyout(out[0:n])
  #pragma acc loop independent private(scratch)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) scratch[j] = a[i][j] * 2.0f;
    float sum = 0;
    for (int j = 0; j < 64; j++) sum += scratch[j] * scratch[63 - j];
    out[i] = sum;
  }
}

void histogram(int n, int *restrict counts, const int *restrict keys) {
  #pragma acc kernels copyin(keys[0:n]) copy(counts[0:100])
  #pragma acc loop independent
  for (int i = 0; i < n; i++) {
    #pragma acc atomic update
    counts[keys[i]]++;
  }
}

void running(int n, double *restrict a, const double *restrict b) {
  #pragma acc kernels copyin(b[0:n]) copy(a[0:n])
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + b[i];
}

void scale(int n, double *restrict a, const double *restrict b) {
  #pragma acc parallel loop gang vector present(a, b)
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * b[i];
  #pragma acc parallel loop gang vector num_gangs(1) present(a, b)
  for (int i = 0; i < 256; i++)
    a[i] = 2.0 * b[i];
  #pragma acc parallel loop present(a, b)
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * b[i];
  #pragma acc serial loop present(a, b)
  for (int i = 0; i < 8; i++)
    a[i] = 2.0 * b[i];
}
