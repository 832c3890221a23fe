// The row is a routine's loop, and its bounds are handed in.
// trades for: acc/missing-workers one-warp
#pragma acc routine vector
static double dot(int begin, int end, const int *restrict column, const double *restrict value, const double *restrict x) {
  double sum = 0;
  #pragma acc loop vector reduction(+:sum)
  for (int e = begin; e < end; e++) sum += value[e] * x[column[e]];
  return sum;
}

int fill(int rows, int width, int *first, int *column, double *value) {
  int count = 0;
  for (int r = 0; r < rows; r++) {
    first[r] = count;
    for (int k = -2; k <= 2; k++)
      if (r + k * width >= 0 && r + k * width < rows) {
        column[count] = r + k * width;
        value[count++] = 0.2;
      }
  }
  first[rows] = count;
  return count;
}

void multiply(int rows, const int *restrict first, const int *restrict column, const double *restrict value, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop gang present(first, column, value, x, y)
  for (int r = 0; r < rows; r++) y[r] = dot(first[r], first[r + 1], column, value, x);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
}

void power(int rows, int width, int *first, int *column, double *value, double *x, double *y) {
  const int count = fill(rows, width, first, column, value);
  #pragma acc data copyin(first[0:rows + 1], column[0:count], value[0:count]) copy(x[0:rows]) create(y[0:rows])
  for (int step = 0; step < 50; step++) {
    multiply(rows, first, column, value, x, y);
    multiply(rows, first, column, value, y, x);
  }
}
