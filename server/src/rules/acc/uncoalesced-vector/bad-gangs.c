// What an interchange leaves for the gangs: the exchanged loop alone, both loops together, three of one collapse.
static double field[4096][24];
static double plane[4096][512];

void bands(double factor) {
  #pragma acc parallel loop gang present(field)
  for (int band = 0; band < 24; band++) {
    #pragma acc loop vector
    for (int row = 0; row < 4096; row++)
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ across
      field[row][band] *= factor;
  }
  #pragma acc parallel loop gang present(plane)
  for (int column = 0; column < 512; column++) {
    #pragma acc loop vector
    for (int line = 0; line < 60; line++)
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ across hint
      plane[line][column] *= factor;
  }
}

void levels(int n, int m, const double *restrict from, double *restrict to) {
  double twice;
  #pragma acc parallel loop present(from[0:n * m], to[0:n * m])
  for (int i = 0; i < n; i++) {
    #pragma acc loop worker vector private(twice)
    for (int j = 0; j < m; j++) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ across
      twice = 2.0 * from[j * n + i];
      to[j * n + i] = twice;
    }
  }
}

void cube(int n, double *restrict a, double factor) {
  double old;
  #pragma acc parallel loop collapse(3) present(a[0:n * n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ across
        old = a[(k * n + j) * n + i];
        a[(k * n + j) * n + i] = factor * old;
      }
}

void shortRows(int n, const double *restrict table, double *restrict mean) {
  #pragma acc parallel loop gang present(table, mean)
  for (int c = 0; c < 200; c++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int r = 0; r < n; r++) sum += table[r * 200 + c];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ across
    mean[c] = sum / n;
  }
}
