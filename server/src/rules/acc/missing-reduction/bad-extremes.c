// The largest and the smallest, found by comparison; where the place is kept too it is no reduction.
void range(int n, const float *restrict a, float *restrict out) {
  float high = a[0], low = a[0], top = a[0];
  int place = 0;
  #pragma acc parallel loop copyin(a[0:n])
  for (int i = 1; i < n; i++) {
    if (a[i] > high) high = a[i];
//                   ^^^^ race
    if (low > a[i]) { low = a[i]; }
//                    ^^^ race
    if (a[i] > top) { top = a[i]; place = i; }
  }
  out[0] = high;
  out[1] = low;
  out[2] = top;
  out[3] = place;
}
