// Lanes along the rows, a transposition, a gather, components side by side, and a loop of which nobody says where it runs.
#define N 2048
static float image[N][N], turned[N][N];

void along(void) {
  #pragma acc parallel loop gang copy(image)
  for (int y = 0; y < N; y++) {
    #pragma acc loop vector
    for (int x = 0; x < N; x++) image[y][x] *= 2.0f;
  }
}

void transpose(void) {
  #pragma acc parallel loop collapse(2) copyin(image) copyout(turned)
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) turned[x][y] = image[y][x];
}

void gather(int n, const int *restrict index, const double *restrict from, double *restrict to) {
  #pragma acc parallel loop gang vector present(index, from, to)
  for (int i = 0; i < n; i++) to[i] = from[index[i]];
}

void components(int n, const double *restrict force, double *restrict speed) {
  #pragma acc parallel loop gang vector present(force, speed)
  for (int i = 0; i < n; i++) {
    #pragma acc loop seq
    for (int c = 0; c < 3; c++) speed[3 * i + c] += force[3 * i + c];
  }
}

void open(int n, int m, double *restrict a) {
  #pragma acc parallel loop present(a)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * m + j] += a[i * m + j] > 0.0 ? 1.0 : -1.0;
}

void product(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  #pragma acc parallel loop collapse(2) gang vector present(a, b, c)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      #pragma acc loop seq
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// Each row as long as the data say.
void neighbours(int n, const int *restrict count, const int (*restrict cell)[24], const double *restrict flux, double *restrict sum) {
  #pragma acc parallel loop gang vector present(count, cell, flux, sum)
  for (int c = 0; c < n; c++) {
    double own = 0.0;
    #pragma acc loop seq
    for (int k = 0; k < count[c]; k++) own += flux[cell[c][k]];
    sum[c] = own;
  }
}
