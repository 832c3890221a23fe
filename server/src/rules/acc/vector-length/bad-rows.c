// Rows of a compressed matrix, whose length follows from the loop that fills the offsets.
// trades for: acc/missing-workers one-warp
#include <stdlib.h>

typedef struct { int rows; long *first; int *column; float *value; } Sparse;

#define REACH 1

void fill(Sparse *m, int edge) {
  long count = 0;
  for (int r = 0; r < edge * edge * edge; ++r) {
    m->first[r] = count;
    for (int z = -REACH; z <= REACH; ++z)
      for (int y = -REACH; y <= REACH; ++y)
        for (int x = -REACH; x <= REACH; ++x)
          if (r + x + edge * (y + edge * z) >= 0 && r + x + edge * (y + edge * z) < m->rows) {
            m->column[count] = r + x + edge * (y + edge * z);
            m->value[count++] = -1.0f;
          }
  }
  m->first[m->rows] = count;
}

void multiply(const Sparse *m, const float *restrict x, float *restrict y) {
  const long *restrict first = m->first;
  const int *restrict column = m->column;
  const float *restrict value = m->value;
  const int rows = m->rows;
  #pragma acc parallel loop gang present(first, column, value, x, y)
  for (int r = 0; r < rows; ++r) {
    float sum = 0.0f;
    const long begin = first[r], end = first[r + 1];
    // The entries of one row.
    #pragma acc loop reduction(+:sum)
    for (long e = begin; e < end; ++e) sum += value[e] * x[column[e]];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    y[r] = sum;
  }
}
