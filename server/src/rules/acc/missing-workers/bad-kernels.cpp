// The kernels form: levels go to the loop, with a directive of its own where there is none.
void sums(int n, const int *__restrict begin, const double *__restrict v, double *__restrict out) {
  #pragma acc kernels present(begin, v, out)
  {
    for (int i = 0; i < n; i++) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ one-warp
      double sum = 0.0;
      #pragma acc loop vector(32)
      for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
      out[i] = sum;
    }
  }
  #pragma acc kernels loop independent gang present(begin, v, out)
  for (int i = 0; i < n; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ one-warp
    double sum = 0.0;
    #pragma acc loop device_type(nvidia) vector(32)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
    out[i] += sum;
  }
}
