// A variable of `declare` that an update follows, and rows that are freed beside their copies.
#include <stdlib.h>
static float scale;
#pragma acc declare create(scale)

void set(float value) {
  scale = value;
  #pragma acc update device(scale)
}

void leave(int n) {
  float *p = malloc(n * sizeof *p);
  #pragma acc enter data create(p[0:n])
  #pragma acc parallel loop present(p[0:n])
  for (int i = 0; i < n; i++) p[i] = scale * i;
  #pragma acc exit data delete(p[0:n])
  free(p);
}

void drop(float **rows, int count) {
  for (int i = 0; i < count; i++) {
    free(rows[i]);
    #pragma acc exit data delete(rows[i:1])
  }
}
