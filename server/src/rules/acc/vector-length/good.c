// Lengths that fit, and loops whose trip count nothing in sight bounds.
#include <stdio.h>
#define N 1000

typedef struct { int rows; int *first; int *column; float *value; } Sparse;

// As long as the file says: the rows have no bound.
void readRows(Sparse *m, FILE *file) {
  int count = 0;
  for (int r = 0; r < m->rows; r++) {
    int length = 0;
    m->first[r] = count;
    if (fscanf(file, "%d", &length) != 1) return;
    for (int k = 0; k < length; k++) count++;
  }
  m->first[m->rows] = count;
}

void multiply(const Sparse *m, const float *restrict x, float *restrict y) {
  const int *restrict first = m->first;
  #pragma acc parallel loop gang copyin(m[0:1], first[0:m->rows + 1], x[0:m->rows]) copyout(y[0:m->rows])
  for (int r = 0; r < m->rows; r++) {
    float sum = 0.0f;
    #pragma acc loop vector reduction(+:sum)
    for (int e = first[r]; e < first[r + 1]; e++) sum += m->value[e] * x[m->column[e]];
    y[r] = sum;
  }
}

// A constant that the compiler sees: it takes 32 lanes by itself.
void constant(int n, float (*restrict a)[20]) {
  #pragma acc parallel loop gang copy(a[0:n][0:20])
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int c = 0; c < 20; c++) a[i][c] *= 2.0f;
  }
}

// Another vector loop of the construct wants the long vector.
void both(int n, int m, const int *restrict begin, float *restrict a, float *restrict b) {
  #pragma acc parallel loop gang vector_length(128) present(begin, a, b)
  for (int i = 0; i < n; i++) {
    // warplens: trip <= 8
    #pragma acc loop vector
    for (int k = begin[i]; k < begin[i + 1]; k++) a[k] *= 2.0f;
    #pragma acc loop vector
    for (int k = 0; k < m; k++) b[i * m + k] *= 2.0f;
  }
}

// Gangs and lanes share one loop, and 96 of 128 lanes are no waste worth a word.
void fits(int n, float *restrict a) {
  #pragma acc parallel loop gang vector vector_length(256) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] += 1.0f;
  #pragma acc parallel loop gang copy(a[0:96 * n])
  for (int i = 0; i < n; i++) {
    // warplens: trip <= 96
    #pragma acc loop vector
    for (int k = 0; k < n; k++) a[96 * i + k] += 1.0f;
  }
}

// One lane on purpose.
void once(float *a) {
  #pragma acc parallel num_gangs(1) num_workers(1) vector_length(1) copy(a[0:1])
  { a[0] += 1.0f; }
}

// A long loop that nvc may give to the same lanes, and a routine that has vector loops of its own.
void beside(int n, int m, const int *restrict begin, float *restrict a, float *restrict b) {
  #pragma acc parallel loop gang present(begin, a, b)
  for (int i = 0; i < n; i++) {
    // warplens: trip <= 8
    #pragma acc loop vector
    for (int k = begin[i]; k < begin[i + 1]; k++) a[k] *= 2.0f;
    for (int k = 0; k < m; k++) b[i * m + k] *= 2.0f;
  }
}

#pragma acc routine vector
void scaleRow(int m, float *row) {
  #pragma acc loop vector
  for (int k = 0; k < m; k++) row[k] *= 2.0f;
}

void throughRoutine(int n, int m, const int *restrict begin, float *restrict a, float *restrict b) {
  #pragma acc parallel loop gang present(begin, a, b)
  for (int i = 0; i < n; i++) {
    // warplens: trip <= 8
    #pragma acc loop vector
    for (int k = begin[i]; k < begin[i + 1]; k++) a[k] *= 2.0f;
    scaleRow(m, b + i * m);
  }
}
