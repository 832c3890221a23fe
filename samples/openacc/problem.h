// What the OpenACC samples in C share: a sparse matrix, a clock, and the verdict that ends a program.
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Rows of at most 27 entries: each point of a cube and its neighbours, in compressed rows.
typedef struct {
  int rows;
  int nonzeros;
  int *rowStart;
  int *columns;
  double *values;
} Matrix;

static inline double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static inline void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) {
    fprintf(stderr, "There is not enough memory for %zu bytes.\n", bytes);
    exit(2);
  }
  return memory;
}

static inline Matrix createMatrix(int edge) {
  Matrix matrix;
  matrix.rows = edge * edge * edge;
  matrix.rowStart = (int *)allocate((matrix.rows + 1) * sizeof(int));
  matrix.columns = (int *)allocate(27 * (size_t)matrix.rows * sizeof(int));
  matrix.values = (double *)allocate(27 * (size_t)matrix.rows * sizeof(double));
  int entry = 0;
  for (int row = 0; row < matrix.rows; row++) {
    int x = row % edge, y = row / edge % edge, z = row / (edge * edge);
    matrix.rowStart[row] = entry;
    for (int dz = -1; dz <= 1; dz++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          if (x + dx < 0 || x + dx >= edge || y + dy < 0 || y + dy >= edge || z + dz < 0 || z + dz >= edge) continue;
          matrix.columns[entry] = row + dx + edge * (dy + edge * dz);
          matrix.values[entry++] = dx == 0 && dy == 0 && dz == 0 ? 27.0 : -1.0;
        }
  }
  matrix.rowStart[matrix.rows] = entry;
  matrix.nonzeros = entry;
  return matrix;
}

static inline void destroyMatrix(Matrix *matrix) {
  free(matrix->rowStart);
  free(matrix->columns);
  free(matrix->values);
}

static int smaller(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static inline double median(double *times, int count) {
  qsort(times, count, sizeof(double), smaller);
  return times[count / 2];
}

// Prints what the program found and its time; the exit status says whether it found what it should.
static inline int verdict(double result, double expected, double milliseconds) {
  int right = fabs(result - expected) <= 1e-6 * fabs(expected);
  printf("result %.9g\ntime %.4f ms\n%s\n", result, milliseconds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
