// Clauses of OpenACC 3.4 that copy what is on the GPU already, too.
#include <stdio.h>
void run(double *a, double *b, int n) {
  #pragma acc data create(a[0:n], b[0:n])
  {
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma acc parallel loop copyin(always: a[0:n]) copyout(alwaysout: b[0:n])
    for (int i = 0; i < n; i++) b[i] = a[i];
    printf("%f\n", b[0]);
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    #pragma acc enter data copyin(alwaysin: a[0:n])
    #pragma acc parallel loop present(a[0:n], b[0:n])
    for (int i = 0; i < n; i++) b[i] = a[i];
    #pragma acc exit data delete(a[0:n])
    #pragma acc exit data copyout(always: b[0:n])
    printf("%f\n", b[0]);
  }
}
