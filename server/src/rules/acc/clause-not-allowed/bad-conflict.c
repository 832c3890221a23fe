// Clauses that exclude each other: which one was meant is not known.
void scale(double *a, int n) {
#pragma acc parallel copy(a[0:n])
  {
#pragma acc loop seq gang
//                   ^^^^ conflict error
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
#pragma acc parallel loop num_gangs(8) num_gangs(16) copy(a[0:n])
//                                     ^^^^^^^^^ repeated
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
