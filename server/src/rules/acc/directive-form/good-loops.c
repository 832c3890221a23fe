// Loops in all forms, and what a macro of a header that is not there may stand for.
#include "loops.h"
#define EACH(i, n) for (int i = 0; i < n; i++)
void scale(float *a, int n) {
#pragma acc parallel loop copy(a[0:n])
  EACH(i, n) a[i] = 2.0f * a[i];
#pragma acc parallel copy(a[0:n])
  {
#pragma acc loop gang
    for (int j = 0; j < n; j += 2)
#pragma acc loop vector
      for (int i = j; i < j + 2; i++) a[i] = 3.0f * a[i];
  }
#pragma acc parallel loop copy(a[0:n])
  SCALED(a, n);
}
