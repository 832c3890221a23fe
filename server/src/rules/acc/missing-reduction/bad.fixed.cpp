// The same in C++, in a routine whose lanes share the loop.
#pragma acc routine vector
double norm(int n, const double *a) {
  double squares = 0.0;
  #pragma acc loop vector reduction(+:squares)
  for (int i = 0; i < n; ++i) squares += a[i] * a[i];
  return squares;
}

int flags(int n, const int *a) {
  int all = 1;
  #pragma acc parallel loop copyin(a[0:n]) reduction(&:all)
  for (int i = 0; i < n; ++i) all &= a[i];
  return all;
}
