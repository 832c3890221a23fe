// Scalars that a loop sets: who reads what they hold behind it.
#define N 256
#define M 128
double values[N][M], copies[N][M];

// What a construct's own copy holds at its end nobody reads.
double own(void) {
  double value = 0;
  #pragma acc parallel present(values, copies)
  {
    for (int j = 0; j < M; j++) { value = 2.0 * values[0][j]; copies[0][j] = value; }
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ redundant
  }
  return value;
}

// Its value is copied out.
double copied(void) {
  double value = 0;
  #pragma acc parallel copy(value) present(values, copies)
  {
    for (int j = 0; j < M; j++) { value = 2.0 * values[0][j]; copies[0][j] = value; }
  }
  return value;
}

// The next iteration of the loop around it reads it before it is set.
void next(void) {
  double value = 0;
  #pragma acc parallel loop seq private(value) present(values, copies)
  for (int i = 0; i < N; i++) {
    copies[i][0] = value;
    for (int j = 1; j < M; j++) { value = 2.0 * values[i][j]; copies[i][j] = value; }
  }
}

// The head of the loop around it asks for it.
void head(void) {
  int count = 4;
  #pragma acc parallel present(values, copies)
  #pragma acc loop seq
  for (int i = 0; i < count; i++) {
    for (int j = 1; j < M; j++) { count = j; copies[i][j] = values[i][j]; }
  }
}

// Each iteration of the loop around it sets it anew.
void anew(void) {
  double value = 0;
  #pragma acc parallel loop gang private(value) present(values, copies)
  for (int i = 0; i < N; i++) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    value = values[i][0];
    copies[i][0] = value;
    for (int j = 1; j < M; j++) { value = 2.0 * values[i][j]; copies[i][j] = value; }
  }
}
