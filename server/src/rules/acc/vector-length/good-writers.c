// Row offsets of which some writer says nothing, says more, or says it to somebody else.
#include <stdlib.h>

typedef struct { int rows; int *first; double *value; } Sparse;

// Two entries a row, and a second writer that moves the offsets by a number nobody knows.
void build(Sparse *m, int shift) {
  int count = 0;
  for (int r = 0; r < m->rows; r++) {
    m->first[r] = count;
    for (int k = 0; k < 2; k++) m->value[count++] = k;
  }
  m->first[m->rows] = count;
  for (int r = 0; r < m->rows; r++) m->first[r] += shift * r;
}

void sums(const Sparse *m, double *restrict out) {
  const int *restrict first = m->first;
  const double *restrict value = m->value;
  const int rows = m->rows;
  #pragma acc parallel loop gang present(first, value, out)
  for (int r = 0; r < rows; r++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int e = first[r]; e < first[r + 1]; e++) sum += value[e];
    out[r] = sum;
  }
}

typedef struct { int rows; int *first; double *value; } Counted;

// The counter grows between rows as well.
void count(Counted *m, const int *extra) {
  int at = 0;
  for (int plane = 0; plane < 10; plane++) {
    at += extra[plane];
    for (int r = 0; r < 100; r++) {
      m->first[plane * 100 + r] = at;
      for (int k = 0; k < 3; k++) at++;
    }
  }
}

void totals(const Counted *m, double *restrict out) {
  const int *restrict first = m->first;
  const double *restrict value = m->value;
  const int rows = m->rows;
  #pragma acc parallel loop gang present(first, value, out)
  for (int r = 0; r < rows; r++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int e = first[r]; e < first[r + 1]; e++) sum += value[e];
    out[r] = sum;
  }
}

void load(const char *name, int *offsets);

// The offsets come from a function that is not in sight.
void loaded(int rows, const double *restrict value, double *restrict out) {
  int *first = (int *)malloc((rows + 1) * sizeof(int));
  for (int r = 0; r <= rows; r++) first[r] = 4 * r;
  load("rows", first);
  #pragma acc parallel loop gang copyin(first[0:rows + 1]) present(value, out)
  for (int r = 0; r < rows; r++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int e = first[r]; e < first[r + 1]; e++) sum += value[e];
    out[r] = sum;
  }
  free(first);
}
