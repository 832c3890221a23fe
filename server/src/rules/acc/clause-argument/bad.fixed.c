// Parentheses that are wrong in one word.
void scale(double *a, double *b, int n) {
#pragma acc parallel loop copy(a[0:n]) default(none) firstprivate(n)
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copyin(readonly: a[0:n]) seq copyout(b[0:n])
  for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
}
