// A pointer may lead to an array of the program: the lanes are a promise of the author's, not a safe fix.
#define N 128
#define M 256
double field[N][M];

void shift(const double *from) {
  #pragma acc parallel loop copyin(from[0:N * M])
  for (int i = 0; i < N; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ inner-unmapped
    for (int j = 0; j < M; j++) field[i][j] = from[i * M + j] + 1.0;
  }
}
