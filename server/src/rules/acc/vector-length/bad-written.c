// Lengths that are written: too long for the loop, no whole warps, more than a gang has.
#define COMPONENTS 20
#define LANES 48

void add(int n, double a[][COMPONENTS], double b[][COMPONENTS]) {
  #pragma acc parallel loop gang worker num_workers(4) vector_length(128) present(a, b)
//                                                                   ^^^ idle-lanes
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int c = 0; c < COMPONENTS; c++) a[i][c] += b[i][c];
  }
}

void scale(int n, double *restrict x) {
  #pragma acc parallel loop gang vector vector_length(48) copy(x[0:n])
//                                                    ^^ not-warps
  for (int i = 0; i < n; i++) x[i] *= 2.0;
}

void shift(int n, double *restrict x) {
  #pragma acc kernels copy(x[0:n])
  {
    #pragma acc loop independent gang vector(2048)
//                                           ^^^^ too-large
    for (int i = 0; i < n; i++) x[i] += 1.0;
  }
}
