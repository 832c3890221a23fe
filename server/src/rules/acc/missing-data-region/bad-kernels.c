// The clauses of the kernels region name the extents; the author meant them to be copied, but once would do.
void relax(int n, int steps, double omega, const double *restrict source, double *restrict field) {
  int step = 0;
  while (step < steps) {
//^^^^^^^^^^^^^^^^^^^^ in-loop
    #pragma acc kernels copyin(source[0:n]) copy(field[0:n])
    for (int i = 0; i < n; i++) field[i] = (1.0 - omega) * field[i] + omega * source[i];
    step++;
  }
}
