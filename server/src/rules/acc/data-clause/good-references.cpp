// What a C++ reference is made of is written through it.
void references(double *__restrict d, double *__restrict s, int n) {
  #pragma acc parallel loop copy(d[0:n])
  for (int i = 0; i < n; ++i) { double &element = d[i]; element = 2.0; }
  auto &other = s;
  #pragma acc parallel loop copy(s[0:n])
  for (int i = 0; i < n; ++i) other[i] = s[n - 1 - i] + 1.0;
}
