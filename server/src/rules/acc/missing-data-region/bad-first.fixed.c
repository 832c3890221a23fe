// What the first iteration reads is there before the loop; what it writes first is not.
#include <stdlib.h>
void relax(int steps) {
  int n = 1000000;
  double *a = calloc(n, sizeof(double)), *b = malloc(n * sizeof(double));
  #pragma acc data copyin(a[0:n]) create(b[0:n])
  for (int t = 0; t < steps; t++) {
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) b[i] = a[i] + 1;
#pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++) a[i] = b[i];
  }
  free(a);
  free(b);
}
