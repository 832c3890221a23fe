// Parentheses that are wrong in one word.
void scale(double *a, int n) {
#pragma acc parallel loop copy(a[0:n]) default(nonne) firstprivate(n)
//                                             ^^^^^ malformed error
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copyin(readnoly: a[0:n]) seq(1)
//                               ^^^^^^^^ modifier-near
//                                                    ^^^ not-allowed
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
