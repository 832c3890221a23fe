// A clause that may not stand there is told for itself; that nothing else stands beside it is the same mistake.
double turn[3][3];
#pragma acc declare create(turn)

void set(const double *rows) {
  for (int i = 0; i < 9; ++i) turn[i / 3][i % 3] = rows[i];
#pragma acc data update device(turn)
}
