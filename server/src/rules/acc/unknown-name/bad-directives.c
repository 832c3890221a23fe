// Misspelt directives: a C compiler passes over them.
void scale(double *a, double *b, int n) {
#pragma acc paralel loop copy(a[0:n])
//          ^^^^^^^^^^^^ directive-near error
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc kernel copy(b[0:n])
//          ^^^^^^ directive-near
  for (int i = 0; i < n; ++i) b[i] *= 3;
}
