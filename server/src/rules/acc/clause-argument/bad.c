// Parentheses that are wrong in one word.
void scale(double *a, double *b, int n) {
#pragma acc parallel loop copy(a[0:n]) default(nonne) firstprivate(n)
//                                             ^^^^^ malformed error
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copyin(readnoly: a[0:n]) seq(1) copyout(b[0:n])
//                               ^^^^^^^^ modifier-near
//                                                    ^^^ not-allowed
  for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
}
