// Another construct finds the arrays on the GPU by its default.
static double x[1000000], y[1000000];
void relax(int steps) {
  for (int t = 0; t < steps; t++) {
#pragma acc parallel loop default(present)
    for (int i = 0; i < 1000000; i++) y[i] += x[i];
#pragma acc parallel loop
    for (int i = 0; i < 1000000; i++) x[i] = y[i];
  }
}
