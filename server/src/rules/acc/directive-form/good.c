// Whole directives; a routine without a level lets the compiler choose one.
#define ARRAYS copy(a[0:n])

#pragma acc routine
double twice(double x) { return 2 * x; }

void scale(double *a, int n) {
#pragma acc data ARRAYS
  {
#pragma acc parallel loop \
    present(a[0:n]) \
    vector_length(128) // on every device
    for (int i = 0; i < n; ++i) a[i] = twice(a[i]);
  }
#pragma acc data default(none)
  { }
#pragma acc update self(a[0:n]) if(n > 0)
#pragma acc wait
}
