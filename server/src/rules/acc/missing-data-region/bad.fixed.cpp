// Memory of new[], its extent said where it is made; the scratch array never leaves the GPU.
double smooth(int n, int turns) {
  double *field = new double[n];
  double *scratch = new double[n];
  for (int i = 0; i < n; i++) field[i] = i % 7;
  #pragma acc data copy(field[0:n]) create(scratch[0:n])
  for (int turn = 0; turn < turns; turn++) {
    #pragma acc kernels copy(field[0:n], scratch[0:n])
    {
      #pragma acc loop independent
      for (int i = 1; i < n - 1; i++) scratch[i] = 0.5 * (field[i - 1] + field[i + 1]);
      #pragma acc loop independent
      for (int i = 1; i < n - 1; i++) field[i] = scratch[i];
    }
  }
  double last = field[n / 2];
  delete[] field;
  delete[] scratch;
  return last;
}
