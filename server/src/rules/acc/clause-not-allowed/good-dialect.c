// Axes in brackets are another language's: their form is told, and not that the clause stands there twice.
void scale(double *a, int n) {
#pragma acc parallel loop num_gangs[0](n) num_gangs[1](8) copy(a[0:n])
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
