// Both directions, on each iteration, and nobody asks.
#include <stdio.h>

double run(int n, int steps, double *restrict field, double *restrict source) {
  #pragma acc data copy(field[0:n]) copyin(source[0:n])
  {
    for (int step = 0; step < steps; step++) {
      #pragma acc update device(source[0:n])
//                              ^^^^^^^^^^^ to-device warning
      #pragma acc parallel loop
      for (int i = 0; i < n; i++) field[i] = 0.5 * (field[i] + source[i]);
      #pragma acc update self(field[0:n])
//                            ^^^^^^^^^^ to-host warning
      if (step % 100 == 0) printf("step %d\n", step);
    }
    printf("%f\n", field[0]);
  }
  return field[n - 1];
}
