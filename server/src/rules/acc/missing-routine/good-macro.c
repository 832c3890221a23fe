// Procedures that a macro defines, the directive among what it stands for, by itself and by another macro's name.
#define ON_BOTH _Pragma("acc routine seq")
#define POWER(n) \
  ON_BOTH \
  static double power##n(double x) { \
    double y = 1.0; \
    for (int i = 0; i < n; i++) y *= x; \
    return y; \
  }
POWER(2)
POWER(3)

void powers(int n, double *restrict values) {
#pragma acc parallel loop copy(values[0:n])
  for (int i = 0; i < n; i++) values[i] = power2(values[i]) + power3(values[i]);
}
