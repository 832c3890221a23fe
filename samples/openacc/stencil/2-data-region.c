// Stage 2: the grids stay on the device for all of the steps.
#include "../problem.h"

// One step of heat flow on a square grid: each inner point becomes the mean of its neighbours.
static void step(int n, const double *restrict from, double *restrict to) {
  #pragma acc parallel loop gang vector_length(128) present(from[0:(n + 1) * (n + 1)], to[0:(n + 1) * (n + 1)])
  for (int column = 1; column < n; column++) {
    #pragma acc loop vector
    for (int row = 1; row < n; row++)
      to[row * (n + 1) + column] = 0.25 * (from[(row - 1) * (n + 1) + column] + from[(row + 1) * (n + 1) + column] + from[row * (n + 1) + column - 1] + from[row * (n + 1) + column + 1]);
  }
}

int main(int count, char **words) {
  const int n = count > 1 ? atoi(words[1]) : 4096, steps = 10, size = (n + 1) * (n + 1);
  const double pi = acos(-1.0);
  double *grid = (double *)allocate(size * sizeof(double)), *next = (double *)allocate(size * sizeof(double));
  double times[10];
  for (int row = 0; row <= n; row++)
    for (int column = 0; column <= n; column++) {
      grid[row * (n + 1) + column] = sin(pi * row / n) * sin(pi * column / n);
      next[row * (n + 1) + column] = 0.0;
    }
  #pragma acc data copy(grid[0:size]) copyin(next[0:size])
  {
    for (int each = 0; each < steps; each++) {
      const double begin = now();
      step(n, grid, next);
      step(n, next, grid);
      times[each] = (now() - begin) / 2;
    }
  }
  double squares = 0.0;
  for (int i = 0; i < size; i++) squares += grid[i] * grid[i];
  free(grid), free(next);
  // The sines keep their shape: each step scales them by the cosine of the grid's spacing.
  return verdict(squares, 0.25 * n * n * pow(cos(pi / n), 4.0 * steps), median(times, steps));
}
