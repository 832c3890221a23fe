// Gang loops that wait, or whose iterations touch nothing of the others.
void own(int n, int m, float *restrict a, float *restrict b) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) a[i * m + j] = i;
    #pragma acc loop gang
    for (int k = 0; k < n; k++)
      for (int j = 1; j < m; j++) b[k * m + j] = a[k * m + j - 1] + a[k * m + m - 1];
  }
}

// A row's elements, as the inner loop's bounds have them, and as many as a number says.
void blocks(int n, int m, int count, float *restrict a, float *restrict b) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++)
      for (int k = i * m; k < (i + 1) * m; k++) a[k] = i;
    #pragma acc loop gang
    for (int i = 0; i < n; i++) {
      float s = 0;
      for (int j = 0; j < count; j++) s += a[i * m + j];
      b[i] = s;
    }
  }
}

// Even and odd; the half above; under a condition; on two diagonals.
void apart(int n, float *restrict a, float *restrict b, float c[n][n]) {
  #pragma acc parallel present(a, b, c)
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++) a[2 * i] = i;
    #pragma acc loop gang
    for (int i = 0; i < n; i++) b[i] = a[2 * i + 1];
    #pragma acc loop gang
    for (int i = 0; i < n; i++) b[i + n] = b[i];
    #pragma acc loop gang
    for (int i = 0; i < n; i++)
      if (i > n) c[i][i] = b[n];
    #pragma acc loop gang
    for (int i = 0; i < n; i++) c[i][i] = i;
    #pragma acc loop gang
    for (int i = 0; i < n - 1; i++) c[i][i + 1] = i;
  }
}

// A pointer and a place that change between the loops.
void swapped(int n, int place, float *a, float *b) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++) a[i + place] = i;
    place += n;
    #pragma acc loop gang
    for (int i = 0; i < n; i++) b[i] = a[n - 1 - i + place];
  }
}

void waiting(int n, float *restrict a, float *restrict b) {
  #pragma acc kernels present(a, b)
  {
    #pragma acc loop independent
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    #pragma acc loop independent
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
  }
  #pragma acc parallel num_gangs(1) present(a, b)
  {
    #pragma acc loop gang vector
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    #pragma acc loop gang vector
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
  }
  #pragma acc parallel loop gang present(a, b)
  for (int k = 0; k < n; k++) {
    float c[32];
    #pragma acc loop vector
    for (int i = 0; i < 32; i++) c[i] = 2 * i;
    #pragma acc loop vector
    for (int i = 1; i < 32; i++) b[k] = c[31 - i];
  }
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop seq
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    #pragma acc loop gang
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
  }
}
