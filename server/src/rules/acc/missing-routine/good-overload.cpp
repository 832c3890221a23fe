// In C++ this is one more `round`, and a call with a `double` takes the library's.
#include <math.h>

static int round(short x) { return x < 0 ? -x : x; }

void wrap(int n, double *a) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] -= round(a[i]);
}

int whole(short x) { return round(x); }
