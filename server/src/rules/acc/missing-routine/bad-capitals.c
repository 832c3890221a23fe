// Capitals that say nothing of the GPU: the type, whose name the build sets, and a macro in sight.
#if __has_include(<stddef.h>)
typedef double REAL; // only compilers get here
#endif
#define KEEP static

REAL halved(REAL value) { return value / 2; }
KEEP double doubled(double value) { return value * 2; }

void scale(int n, double *restrict values) {
#pragma acc parallel loop copy(values[0:n])
  for (int i = 0; i < n; i++) {
    values[i] = halved(values[i]);
//              ^^^^^^ not-for-device warning
    values[i] = doubled(values[i]);
//              ^^^^^^^ not-for-device warning
  }
}
