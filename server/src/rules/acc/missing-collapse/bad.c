// Few iterations outside, many inside, nothing between.
#define PLANES 16
#define BANDS 4

void scale(int n, float (*restrict image)[4096]) {
  #pragma acc parallel loop gang present(image)
  for (int p = 0; p < PLANES; p++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ small-outer
    #pragma acc loop vector
    for (int i = 0; i < 4096; i++) image[p][i] *= 2.0f;
  }
}

void shift(int n, int m, double *restrict a) {
  #pragma acc parallel loop present(a)
  for (int b = 0; b < BANDS; b++)
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ small-outer
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[(b * n + i) * m + j] += 1.0;
}

void both(int n, const double *restrict from, double *restrict to) {
  double value;
  #pragma acc parallel present(from, to)
  {
    #pragma acc loop gang
    for (int b = 0; b < 8; b++) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ small-outer
      #pragma acc loop independent private(value)
      for (int i = 0; i < n; i++) {
        value = from[b * n + i];
        to[b * n + i] = value * value;
      }
    }
  }
}
