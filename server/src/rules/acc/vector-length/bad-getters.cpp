// A matrix that hands its arrays out by member functions.
// trades for: acc/missing-workers one-warp
class Matrix {
public:
  int rows() const { return count; }
  const int *starts() const { return first; }
  void fill() {
    int entries = 0;
    for (int r = 0; r < count; ++r) {
      first[r] = entries;
      for (int k = 0; k < 9; ++k)
        if (r + k < count) column[entries++] = r + k;
    }
    first[count] = entries;
  }

private:
  int count, *first, *column;
};

void degrees(const Matrix &matrix, const double *__restrict x, double *__restrict y) {
  const int rows = matrix.rows();
  const int *__restrict starts = matrix.starts();
  #pragma acc parallel loop gang present(starts, x, y)
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    #pragma acc loop vector reduction(+:sum)
    for (int e = starts[r]; e < starts[r + 1]; ++e) sum += x[e];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    y[r] = sum;
  }
}
