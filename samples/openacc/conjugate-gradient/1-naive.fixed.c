// What four clicks make of stage 1: a data region around the iterations, entries to vector lanes, 32 of them, and four workers.
#include "../problem.h"

static void multiply(int rows, int nonzeros, const int *restrict rowStart, const int *restrict columns, const double *restrict values, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop copyin(rowStart[0:rows + 1], columns[0:nonzeros], values[0:nonzeros], x[0:rows]) copyout(y[0:rows]) vector_length(32) gang worker num_workers(4)
  for (int row = 0; row < rows; row++) {
    double sum = 0.0;
    // warplens: trip <= 27
    #pragma acc loop vector reduction(+:sum)
    for (int entry = rowStart[row]; entry < rowStart[row + 1]; entry++)
      sum += values[entry] * x[columns[entry]];
    y[row] = sum;
  }
}

static double innerProduct(int n, const double *restrict a, const double *restrict b) {
  double sum = 0.0;
  #pragma acc parallel loop gang vector reduction(+:sum) copyin(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// y += alpha * x
static void add(int n, double alpha, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop gang vector copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

// y = x + beta * y
static void scaleAndAdd(int n, double beta, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop gang vector copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++) y[i] = x[i] + beta * y[i];
}

int main(int count, char **words) {
  const int edge = count > 1 ? atoi(words[1]) : 100, most = 50;
  Matrix matrix = createMatrix(edge);
  const int n = matrix.rows;
  const int *rowStart = matrix.rowStart, *columns = matrix.columns;
  const double *values = matrix.values;
  double *x = (double *)allocate(n * sizeof(double)), *r = (double *)allocate(n * sizeof(double));
  double *p = (double *)allocate(n * sizeof(double)), *q = (double *)allocate(n * sizeof(double));
  double times[50];
  // The solution is 1 everywhere: the right-hand side is the sum of each row.
  for (int row = 0; row < n; row++) {
    double sum = 0.0;
    for (int entry = rowStart[row]; entry < rowStart[row + 1]; entry++) sum += values[entry];
    x[row] = 0.0;
    r[row] = p[row] = sum;
  }
  int iterations = 0;
  double rr = innerProduct(n, r, r);
  const double enough = 1e-18 * rr;
  #pragma acc data copyin(rowStart[0:n + 1], values[0:matrix.nonzeros], columns[0:matrix.nonzeros]) copy(p[0:n], x[0:n], r[0:n]) create(q[0:n])
  while (rr > enough && iterations < most) {
    const double begin = now();
    multiply(n, matrix.nonzeros, rowStart, columns, values, p, q);
    times[iterations++] = now() - begin;
    const double alpha = rr / innerProduct(n, p, q);
    add(n, alpha, p, x);
    add(n, -alpha, q, r);
    const double next = innerProduct(n, r, r);
    scaleAndAdd(n, next / rr, r, p);
    rr = next;
  }
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += x[i];
  const double milliseconds = median(times, iterations);
  destroyMatrix(&matrix);
  free(x), free(r), free(p), free(q);
  printf("iterations %d\n", iterations);
  return verdict(sum, n, milliseconds);
}
