// A call in sight only reads the array.
#pragma acc routine seq
static inline float at(const float *values, int i) { return values[i]; }

void difference(int n, float *__restrict__ values, float *__restrict__ out) {
  #pragma acc parallel loop copyin(values[0:n + 1]) copyout(out[0:n])
  for (int i = 0; i < n; ++i) out[i] = at(values, i + 1) - at(values, i);
}
