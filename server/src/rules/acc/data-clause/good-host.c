// Regions that may run on the host, where the GPU's copy stays what it was.
#include <stdlib.h>
#define N 4096
void maybe(int gpu, double *restrict y, const double *restrict z) {
  #pragma acc data copy(y[0:N])
  {
    #pragma acc parallel loop if(gpu)
    for (int i = 0; i < N; i++) y[i] = z[i];
  }
}
