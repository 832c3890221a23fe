// Misspelt clauses, and a second word that makes another directive.
void scale(double *restrict a, const double *restrict b, int n) {
#pragma acc parallel lop copyout(a[0:n]) copying(b[0:n])
//                   ^^^ clause-near
//                                       ^^^^^^^ clause-near
  for (int i = 0; i < n; ++i) a[i] = b[i];
}
