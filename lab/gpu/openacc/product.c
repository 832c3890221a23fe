// Times the sparse product (rows of at most 27 entries) under vector lengths and worker counts: lines `stage NAME MEDIAN LEAST MOST result SUM`, times in ms.
#include "../../../samples/openacc/problem.h"

#define PRAGMA(text) _Pragma(#text)
#define STAGE(name, mapping) \
  static void name(int rows, int nonzeros, const int *restrict rowStart, const int *restrict columns, const double *restrict values, const double *restrict x, double *restrict y) { \
    PRAGMA(acc parallel loop mapping present(rowStart[0:rows + 1], columns[0:nonzeros], values[0:nonzeros], x[0:rows], y[0:rows])) \
    for (int row = 0; row < rows; row++) { \
      double sum = 0.0; \
      PRAGMA(acc loop vector reduction(+:sum)) \
      for (int entry = rowStart[row]; entry < rowStart[row + 1]; entry++) sum += values[entry] * x[columns[entry]]; \
      y[row] = sum; \
    } \
  }

STAGE(vector128, gang vector_length(128))
STAGE(vector32, gang vector_length(32))
STAGE(workers1, gang worker num_workers(1) vector_length(32))
STAGE(workers2, gang worker num_workers(2) vector_length(32))
STAGE(workers4, gang worker num_workers(4) vector_length(32))
STAGE(workers8, gang worker num_workers(8) vector_length(32))
STAGE(workers16, gang worker num_workers(16) vector_length(32))
STAGE(workers32, gang worker num_workers(32) vector_length(32))

typedef void (*Stage)(int, int, const int *, const int *, const double *, const double *, double *);
static const struct { const char *name; Stage run; } stages[] = {
  {"vector128", vector128}, {"vector32", vector32}, {"workers1", workers1}, {"workers2", workers2},
  {"workers4", workers4}, {"workers8", workers8}, {"workers16", workers16}, {"workers32", workers32},
};

int main(int count, char **words) {
  const int edge = count > 1 ? atoi(words[1]) : 200;
  int repetitions = count > 2 ? atoi(words[2]) : 11;
  if (repetitions > 101) repetitions = 101;
  Matrix matrix = createMatrix(edge);
  const int n = matrix.rows;
  const int *rowStart = matrix.rowStart, *columns = matrix.columns;
  const double *values = matrix.values;
  double *x = (double *)allocate(n * sizeof(double)), *y = (double *)allocate(n * sizeof(double));
  double times[101];
  for (int i = 0; i < n; i++) x[i] = 1.0 + i % 7;
  #pragma acc data copyin(rowStart[0:n + 1], columns[0:matrix.nonzeros], values[0:matrix.nonzeros], x[0:n]) create(y[0:n])
  {
    for (unsigned stage = 0; stage < sizeof stages / sizeof stages[0]; stage++) {
      stages[stage].run(n, matrix.nonzeros, rowStart, columns, values, x, y);
      for (int each = 0; each < repetitions; each++) {
        const double begin = now();
        stages[stage].run(n, matrix.nonzeros, rowStart, columns, values, x, y);
        times[each] = now() - begin;
      }
      #pragma acc update self(y[0:n])
      double sum = 0.0;
      for (int i = 0; i < n; i++) { sum += y[i] * (i % 3); y[i] = 0.0; }
      #pragma acc update device(y[0:n])
      const double middle = median(times, repetitions);
      printf("stage %s %.4f %.4f %.4f result %.12g\n", stages[stage].name, middle, times[0], times[repetitions - 1], sum);
    }
  }
  return 0;
}
