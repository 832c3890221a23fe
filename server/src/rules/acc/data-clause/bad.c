// Arrays that come back unchanged, arrays that are overwritten, arrays that nobody uses.
void scale(int n, double factor, const double *restrict weights, double *restrict a, double *restrict b, double *restrict unused) {
  #pragma acc parallel loop copy(weights[0:n], a[0:n]) copyout(b[0:n]) copyin(unused[0:n])
//                               ^^^^^^^^^^^^ too-wide hint
//                                                                            ^^^^^^^^^^^ unused
  for (int i = 0; i < n; i++) {
    a[i] *= weights[i];
    b[i] = factor * a[i];
  }
}

void table(int n, int m, double grid[n][m]) {
  #pragma acc kernels copy(grid[0:n][0:m])
//                         ^^^^^^^^^^^^^^ too-wide
  {
    #pragma acc loop independent
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        grid[i][j] = i * m + j;
        grid[i][j] += 0.5;
      }
  }
}

#define SIZE 1000
double inRegion(const double *restrict start) {
  static double from[SIZE], to[SIZE];
  for (int i = 0; i < SIZE; i++) from[i] = start[i];
  #pragma acc data copy(from, to)
//                      ^^^^ too-wide
//                            ^^ too-wide
  {
    #pragma acc parallel loop
    for (int i = 0; i < SIZE; i++) to[i] = 2.0 * from[i];
    #pragma acc parallel loop
    for (int i = 0; i < SIZE; i++) to[i] += from[i];
  }
  return to[SIZE / 2];
}

// Around all steps of a program the table is moved once: true, and hardly worth a word.
void march(int n, int steps, const double *restrict table, double *restrict state) {
  #pragma acc data copy(table[0:n], state[0:n])
//                      ^^^^^^^^^^ too-wide hint
  for (int s = 0; s < steps; s++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) state[i] += table[i];
  }
}
