// Compilers take `independent` beside another word of that kind, which then decides alone; two others are an error for them.
void scale(double *a, int n) {
#pragma acc parallel loop seq independent copy(a[0:n])
//                            ^^^^^^^^^^^ idle information
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop auto independent copy(a[0:n])
//                             ^^^^^^^^^^^ idle information
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop auto seq copy(a[0:n])
//                             ^^^ conflict error
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
