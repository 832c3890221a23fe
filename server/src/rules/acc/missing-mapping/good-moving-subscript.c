/* Two turns of the inner loop can add to one element: it cannot be given to vector lanes. */
void smear(int n, int m, const double *restrict x, double *restrict a)
{
#pragma acc parallel loop gang copyin(x[0:m]) copy(a[0:n * (m + 1)])
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      int k = 0;
      if (x[j] > 0.0)
        k = 1;
      a[i * (m + 1) + j + k] += x[j];
    }
  }
}
