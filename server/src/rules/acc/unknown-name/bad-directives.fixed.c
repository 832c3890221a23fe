// Misspelt directives: a C compiler passes over them.
void scale(double *a, double *b, int n) {
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc kernels copy(b[0:n])
  for (int i = 0; i < n; ++i) b[i] *= 3;
}
