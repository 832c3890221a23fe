// Nothing says that the pointers lead to different memory: joining the loops is offered, and said to be unsafe.
#define BANDS 4

void copy(int n, const double *from, double *to) {
  #pragma acc parallel loop present(from, to)
  for (int b = 0; b < BANDS; b++)
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ small-outer
    for (int i = 0; i < n; i++)
      to[b * n + i] = 2.0 * from[b * n + i];
}
