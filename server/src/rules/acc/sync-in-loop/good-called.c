// Procedures that hang together through the host: one prints, one waits for what it queued, one copies.
#include <stdio.h>

static void set(float *restrict e, int n)
{
#pragma acc parallel loop present(e[0:n])
  for (int i = 0; i < n; i++) e[i] = i;
}

static void show(float *restrict e, int n)
{
#pragma acc parallel loop present(e[0:n])
  for (int i = 0; i < n; i++) e[i] += 1;
#pragma acc update self(e[0:1])
  printf("%f\n", e[0]);
}

static void copied(float *restrict e, int n)
{
#pragma acc parallel loop copy(e[0:n])
  for (int i = 0; i < n; i++) e[i] += 1;
}

void steps(float *restrict a, float *restrict b, float *restrict c, int n, int count)
{
#pragma acc data copy(a[0:n], b[0:n])
  for (int step = 0; step < count; step++) {
    set(a, n);
    show(b, n);
    copied(c, n);
  }
}
