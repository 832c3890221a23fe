// A loop of OpenACC for GCC's offloading: its kernel has no line table that ncu knows of, or one of its own making.
#include <stdio.h>
#define N 1048576
static float a[N], b[N];
int main(void) {
  for (int i = 0; i < N; ++i) a[i] = (float)i;
#pragma acc parallel loop copyin(a) copyout(b)
  for (int i = 0; i < N; ++i)
    b[i] = 2.0f * a[i] + a[(i * 7) % N];
  printf("%g\n", b[N - 1]);
  return 0;
}
