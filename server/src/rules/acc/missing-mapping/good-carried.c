// Inner loops that look independent and are not: what they leave behind is used, or a structure adds up.
#define N 256
#define M 128
struct total { double sum; int count; };
double values[N][M], copies[N][M], ends[N];

// The last iteration's value, the last index that met a condition, and the counter itself are read behind the loop.
void last(void) {
  double value;
  int at, j;
  #pragma acc parallel loop private(value, j)
  for (int i = 0; i < N; i++) {
    for (j = 0; j < M; j++) { value = 2.0 * values[i][j]; copies[i][j] = value; }
    ends[i] = value;
  }
  #pragma acc parallel loop private(at, j)
  for (int i = 0; i < N; i++) {
    at = 0;
    for (j = 0; j < M; j++) { if (values[i][j] > 5.0) at = j; copies[i][j] = values[i][j]; }
    ends[i] = at;
  }
  #pragma acc parallel loop private(j)
  for (int i = 0; i < N; i++) {
    for (j = 0; j < M; j++) copies[i][j] += 1.0;
    ends[i] = j;
  }
}

// No clause names a member, so that no reduction can be offered.
void members(void) {
  struct total all = { 0.0, 0 };
  #pragma acc parallel loop private(all)
  for (int i = 0; i < N; i++) {
    all.sum = 0.0;
    for (int j = 0; j < M; j++) all.sum += values[i][j];
    ends[i] = all.sum;
  }
  #pragma acc parallel loop
  for (int i = 0; i < N; i++) {
    struct total own = { 0.0, 0 };
    for (int j = 0; j < M; j++) { own.sum += values[i][j]; own.count++; }
    ends[i] = own.sum / own.count;
  }
}
