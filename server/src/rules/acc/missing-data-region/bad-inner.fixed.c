// A data region there is, but inside of the loop: it is entered and left on each iteration.
void diffuse(int n, int steps, double *restrict heat, double *restrict next, const double *restrict conductivity) {
  #pragma acc data copyin(conductivity[0:n]) copy(heat[0:n])
  for (int step = 0; step < steps; step++) {
    #pragma acc data copy(heat[0:n]) copyin(conductivity[0:n]) create(next[0:n])
    {
      #pragma acc parallel loop
      for (int i = 1; i < n - 1; i++) next[i] = heat[i] + conductivity[i] * (heat[i - 1] - 2.0 * heat[i] + heat[i + 1]);
      #pragma acc parallel loop
      for (int i = 1; i < n - 1; i++) heat[i] = next[i];
    }
  }
}
