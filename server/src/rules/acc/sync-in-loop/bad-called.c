// Independent constructs in procedures that the loop calls one after another.
static void bonds(const float *restrict x, float *restrict e, int n)
{
#pragma acc parallel loop present(x[0:n], e[0:n])
  for (int i = 0; i < n; i++) e[i] = x[i] * x[i];
}

static void angles(const float *restrict x, float *restrict e, int n)
{
#pragma acc parallel loop present(x[0:n], e[0:n])
  for (int i = 0; i < n; i++) e[i] = 0.5f * x[i];
}

void energies(const float *restrict x, float *restrict b, float *restrict a, int n, int steps)
{
#pragma acc data copyin(x[0:n]) copyout(b[0:n], a[0:n])
  for (int step = 0; step < steps; step++) {
    bonds(x, b, n);
//  ^^^^^^^^^^^^^^^ one-after-another
    angles(x, a, n);
  }
}
