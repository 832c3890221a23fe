// Managed memory: CUDA brings no other ahead of its use. What is on the GPU stays there.
int cudaMemPrefetchAsync(const void *from, unsigned long bytes, int device, void *stream);

void relax(int n, int steps, double *restrict grid, double *restrict next) {
  cudaMemPrefetchAsync(grid, n * sizeof(double), 0, 0);
  cudaMemPrefetchAsync(next, n * sizeof(double), 0, 0);
  for (int step = 0; step < steps; step++) {
    #pragma acc parallel loop copyin(grid[0:n]) copyout(next[0:n])
    for (int i = 1; i < n - 1; i++) next[i] = 0.5 * (grid[i - 1] + grid[i + 1]);
    #pragma acc parallel loop copyin(next[0:n]) copyout(grid[0:n])
    for (int i = 1; i < n - 1; i++) grid[i] = next[i];
  }
}
