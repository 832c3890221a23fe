// Pointers that the compiler has to take for overlapping.
void add(int n, double *a, const double *b, const double *c) {
  #pragma acc kernels copyin(b[0:n], c[0:n]) copyout(a[0:n])
  {
    for (int i = 0; i < n; i++) a[i] = b[i] + c[i];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ may-overlap warning
  }
}

struct field { int n; double *now, *next; };

void relax(struct field *f) {
  int n = f->n;
  double *now = f->now, *next = f->next;
  #pragma acc kernels present(now[0:n], next[0:n])
  #pragma acc loop gang
  for (int i = 1; i < n - 1; i++) next[i] = 0.5 * (now[i - 1] + now[i + 1]);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may-overlap
}
