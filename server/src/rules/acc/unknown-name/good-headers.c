// A header that is not there may define any word; what is near to a name is a slip all the same.
#include "switches.h"

void scale(float *x, int n, int onGpu) {
#pragma acc parallel loop program_use_target(onGpu) copy(x[:n])
  for (int i = 0; i < n; i++) x[i] *= 2;
}
