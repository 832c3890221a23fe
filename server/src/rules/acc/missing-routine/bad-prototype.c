/*
 * Defined in another file: its prototype has to say that it is there for the GPU too. A comment above it is long, as
 * licences are, and its words are no macros that could stand for the directive, although one that is looked at from
 * the middle seems to begin with words that the language does not know.
 */
double interpolate(double x);
#pragma acc routine seq
double known(double x);
double named(double x);
#pragma acc routine(named) seq

void apply(int n, double *a) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = interpolate(a[i]) + known(a[i]) + named(a[i]);
//                                   ^^^^^^^^^^^ not-for-device warning
}
