// One of two arrays is looked at: no edit is offered for half of a directive.
#include <cstdio>

void run(int n, int steps, double *a, double *b) {
  #pragma acc data copy(a[0:n], b[0:n])
  for (int step = 0; step < steps; ++step) {
    #pragma acc kernels loop independent
    for (int i = 0; i < n; ++i) { a[i] += 1.0; b[i] += a[i]; }
    #pragma acc update host(a[0:n], b[0:n])
//                                  ^^^^^^ to-host
    std::printf("%f\n", a[0]);
  }
}
