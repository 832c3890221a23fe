// Lanes across the rows: of a two-dimensional array, of a linear one, through scalars that are set once.
#define N 2048
static float image[N][N], blurred[N][N];

void blur(void) {
  #pragma acc parallel loop gang copyin(image) copyout(blurred)
  for (int y = 1; y < N - 1; y++) {
    #pragma acc loop vector
    for (int x = 1; x < N - 1; x++)
      blurred[y][x] = 0.25f * (image[y - 1][x] + image[y + 1][x] + image[y][x - 1] + image[y][x + 1]);
  }
}

void copy(int rows, int columns, const double *restrict from, double *restrict to) {
  #pragma acc parallel loop collapse(2) present(from, to)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      const int at = r * columns + c;
      to[at] = 2.0 * from[at];
    }
}

void means(int rows, int columns, const double *restrict table, double *restrict mean) {
  #pragma acc parallel loop gang present(table, mean) vector
  for (int c = 0; c < columns; c++) {
    double sum = 0.0;
    #pragma acc loop seq reduction(+:sum)
    for (int r = 0; r < rows; r++) sum += table[r * columns + c];
    mean[c] = sum / rows;
  }
}

void sums(int rows, int columns, const double *restrict table, double *restrict sum) {
  #pragma acc parallel loop gang present(table, sum)
  for (int r = 0; r < rows; r++) {
    double own = 0.0;
    #pragma acc loop vector reduction(+:own)
    for (int c = 0; c < columns; c++) own += table[r * columns + c];
    sum[r] = own;
  }
}
