// What looks like a halo and is not: rows that a lane walks by itself.
void scale(const double *values, double *results, int rows, int columns, int border) {
#pragma acc parallel loop gang vector present(values, results)
  for (int row = border; row < rows - border; row++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-lane warning
    for (int column = 0; column < columns; ++column)
      results[row * columns + column] = 2.0 * values[row * columns + column];
  }
}

// Whole rows, of the one length that both arrays have.
void copyRows(const double *values, double *results, int rows, int columns) {
#pragma acc parallel loop gang vector present(values, results)
  for (int row = 0; row < rows; row++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-lane warning
    for (int column = 0; column < columns; ++column) results[row * columns + column] = values[row * columns + column];
  }
}

// Rows of `columns` and one more: a margin, but not of as many as the loop takes.
void shift(double *values, const double *from, int rows, int columns) {
#pragma acc parallel loop gang vector present(values, from)
  for (int row = 0; row < rows; row++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-lane warning
    for (int column = 0; column < columns; ++column)
      values[row * (columns + 1) + column] = 0.5 * from[row * (columns + 1) + column + 1];
  }
}
