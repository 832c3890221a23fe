// Loops that count in a variable set before them: its steps are the loop's, not a sum.
int repeat(int n, float *restrict a, float b) {
  int i = 0;
#pragma acc parallel loop copyout(a[0:n])
  for (; i < n; ++i) a[i] = b;
  return i;
}
void even(int n, float *restrict a, int k) {
#pragma acc parallel loop copyout(a[0:n])
  for (; k < n; k += 2) a[k] = 0;
}
