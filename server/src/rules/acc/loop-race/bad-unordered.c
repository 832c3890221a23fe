// A gang loop uses what other gangs write in the loop before it.
void shifted(int n, float *restrict a, float *restrict b) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop gang vector
    for (int i = 0; i < n; i++) a[i] = 2 * i;
//                              ^^^^ unordered error
    #pragma acc loop gang vector
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
  }
}

void backwards(int n, float *restrict a, float *restrict b) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop
    for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];
    #pragma acc loop
    for (int i = 0; i < n; i++) a[i] = 0;
//                              ^^^^ unordered error
  }
}

void whole(int n, float *restrict a, float *restrict b, float *restrict sum) {
  #pragma acc parallel present(a, b, sum)
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++) a[i] = b[i] * b[i];
//                              ^^^^ unordered
    #pragma acc loop gang
    for (int i = 0; i < n; i++) {
      float s = 0;
      #pragma acc loop vector reduction(+:s)
      for (int j = 0; j < n; j++) s += a[j];
      sum[i] = s;
    }
  }
}

// Rows and columns, in each step of a loop that all gangs run.
void transposed(int n, int steps, float *restrict a, float *restrict t) {
  #pragma acc parallel present(a, t) num_gangs(64)
  for (int s = 0; s < steps; s++) {
    #pragma acc loop gang
    for (int i = 0; i < n; i++)
      #pragma acc loop vector
      for (int j = 0; j < n; j++) t[i * n + j] = a[i * n + j];
//                                ^^^^^^^^^^^^ unordered
    #pragma acc loop gang
    for (int i = 0; i < n; i++)
      #pragma acc loop vector
      for (int j = 0; j < n; j++) a[i * n + j] += t[j * n + i];
  }
}

// The border out of rows that other gangs have, and an element of each row.
void border(int n, float a[n][n], float b[n]) {
  #pragma acc parallel present(a, b)
  {
    #pragma acc loop gang collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) a[i][j] = i - j;
//                                ^^^^^^^ unordered
    #pragma acc loop gang vector
    for (int j = 0; j < n; j++) b[j] = a[0][j];
  }
}
