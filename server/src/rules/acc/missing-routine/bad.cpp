// A template: the directive goes above the whole of it.
template <typename T>
static inline T clamped(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

void limit(int n, float *values) {
  #pragma acc parallel loop copy(values[0:n])
  for (int i = 0; i < n; ++i) values[i] = clamped(values[i], 0.0f, 1.0f);
//                                        ^^^^^^^ inlined hint
}
