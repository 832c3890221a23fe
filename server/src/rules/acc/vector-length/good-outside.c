// Row offsets for which the code in sight gives no bound, though one of the places that fill them would.
#include <stdlib.h>

// Offsets that a function out of sight may have filled as well.
struct loaded { int rows; int *offsets; double *values; };
void build_loaded(struct loaded *m, int n) {
  int count = 0;
  m->rows = n;
  m->offsets = malloc((n + 1) * sizeof(int));
  for (int row = 0; row < n; row++) {
    m->offsets[row] = count;
    for (int d = 0; d < 27; d++) { if (d % 3 != row % 2) m->values[count++] = d; }
  }
  m->offsets[n] = count;
}
int load_loaded(struct loaded *m);
void open_loaded(struct loaded *m) { load_loaded(m); }
void sums_loaded(struct loaded *m, double *restrict y) {
  int *offsets = m->offsets;
  double *values = m->values;
  #pragma acc parallel loop present(offsets, values, y)
  for (int row = 0; row < m->rows; row++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k];
    y[row] = sum;
  }
}

// A matrix that comes from elsewhere.
struct made { int rows; int *offsets; double *values; };
void build_made(struct made *m, int n) {
  int count = 0;
  m->rows = n;
  m->offsets = malloc((n + 1) * sizeof(int));
  for (int row = 0; row < n; row++) {
    m->offsets[row] = count;
    for (int d = 0; d < 27; d++) { if (d % 3 != row % 2) m->values[count++] = d; }
  }
  m->offsets[n] = count;
}
struct made make_made(void);
void renew_made(struct made *m) { *m = make_made(); }
void sums_made(struct made *m, double *restrict y) {
  int *offsets = m->offsets;
  double *values = m->values;
  #pragma acc parallel loop present(offsets, values, y)
  for (int row = 0; row < m->rows; row++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k];
    y[row] = sum;
  }
}

// Offsets that a caller brings.
struct given { int rows; int *offsets; double *values; };
void build_given(struct given *m, int n) {
  int count = 0;
  m->rows = n;
  m->offsets = malloc((n + 1) * sizeof(int));
  for (int row = 0; row < n; row++) {
    m->offsets[row] = count;
    for (int d = 0; d < 27; d++) { if (d % 3 != row % 2) m->values[count++] = d; }
  }
  m->offsets[n] = count;
}
void set_given(struct given *m, int *offsets) { m->offsets = offsets; }
void sums_given(struct given *m, double *restrict y) {
  int *offsets = m->offsets;
  double *values = m->values;
  #pragma acc parallel loop present(offsets, values, y)
  for (int row = 0; row < m->rows; row++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k];
    y[row] = sum;
  }
}

// Offsets written by a pointer that walks.
struct walked { int rows; int *offsets; double *values; };
void build_walked(struct walked *m, int n) {
  int count = 0;
  m->rows = n;
  m->offsets = malloc((n + 1) * sizeof(int));
  for (int row = 0; row < n; row++) {
    m->offsets[row] = count;
    for (int d = 0; d < 27; d++) { if (d % 3 != row % 2) m->values[count++] = d; }
  }
  m->offsets[n] = count;
}
void walk_walked(struct walked *m, int n) { int *p = m->offsets; while (n--) *p++ = n * n; }
void sums_walked(struct walked *m, double *restrict y) {
  int *offsets = m->offsets;
  double *values = m->values;
  #pragma acc parallel loop present(offsets, values, y)
  for (int row = 0; row < m->rows; row++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k];
    y[row] = sum;
  }
}

// Rows that a condition leaves out.
struct left_out { int rows; int *offsets; double *values; };
void build_left_out(struct left_out *m, int n) {
  int count = 0;
  m->rows = n;
  m->offsets = malloc((n + 1) * sizeof(int));
  for (int row = 0; row < n; row++) {
    if (row % 2 == 0) m->offsets[row] = count;
    for (int d = 0; d < 27; d++) { if (d % 3 != row % 2) m->values[count++] = d; }
  }
  m->offsets[n] = count;
}
void sums_left_out(struct left_out *m, double *restrict y) {
  int *offsets = m->offsets;
  double *values = m->values;
  #pragma acc parallel loop present(offsets, values, y)
  for (int row = 0; row < m->rows; row++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k];
    y[row] = sum;
  }
}
