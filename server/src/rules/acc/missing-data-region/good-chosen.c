// The build that is chosen by itself asks for managed memory.
void jacobi(int n, int steps, float *restrict a, float *restrict b) {
  for (int step = 0; step < steps; step++) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++) a[i] += b[i];
  }
}
