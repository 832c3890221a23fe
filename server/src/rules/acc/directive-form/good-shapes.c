// Ways within a region, loops one iteration after the other, and constructs of the host beside it.
#pragma acc routine vector
void clear(int n, float *a) {
#pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] = 0;
}
int shapes(int n, int m, float a[n][m]) {
  for (int step = 0; step < 3; step++) {
    if (step > n) break;
#pragma acc parallel loop collapse(2) copy(a[0:n][0:m])
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        if (a[i][j] < 0) continue;
        for (int k = 0; k < m; k++)
          if (a[i][k] > 1) break;
        switch (j) {
        case 0:
          break;
        default:
          a[i][j] = 1;
        }
        if (i > 3) goto next;
        a[i][j] *= 2;
      next:;
#pragma acc atomic
        a[0][0] = 2 + a[0][0];
      }
    if (n > 2) {
#pragma acc wait
    }
  }
  return n;
}
