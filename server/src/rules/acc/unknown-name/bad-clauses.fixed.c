// Misspelt clauses, and a second word that makes another directive.
void scale(double *restrict a, const double *restrict b, int n) {
#pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; ++i) a[i] = b[i];
}
