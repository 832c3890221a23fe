// Two parallel loops in a loop over time: the grids go to the GPU and come back twice a step.
// trades for: acc/sync-in-loop in-steps
#include <math.h>
#define SIZE 512

static double grid[SIZE][SIZE], next[SIZE][SIZE];

int main(void) {
  const int steps = 1000;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) grid[i][j] = next[i][j] = sin((double)i * j);
  for (int step = 0; step < steps; step++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in-loop warning
    #pragma acc parallel loop collapse(2)
    for (int i = 1; i < SIZE - 1; i++)
      for (int j = 1; j < SIZE - 1; j++) next[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
    #pragma acc parallel loop collapse(2)
    for (int i = 1; i < SIZE - 1; i++)
      for (int j = 1; j < SIZE - 1; j++) grid[i][j] = next[i][j];
  }
  return grid[1][1] > 1.0;
}
