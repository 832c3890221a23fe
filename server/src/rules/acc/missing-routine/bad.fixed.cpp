// A template: the directive goes above the whole of it.
#pragma acc routine seq
template <typename T>
static inline T clamped(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

void limit(int n, float *values) {
  #pragma acc parallel loop copy(values[0:n])
  for (int i = 0; i < n; ++i) values[i] = clamped(values[i], 0.0f, 1.0f);
}

// What a class defines in its body is inline as well.
struct Point {
  double x, y;
  Point(double x, double y) : x(x), y(y) {}
};

#pragma acc routine seq
double across(const Point &a, const Point &b) { return a.x * b.y - a.y * b.x; }

void areas(int n, double *area) {
  #pragma acc parallel loop copy(area[0:n])
  for (int i = 0; i < n; ++i) area[i] = across(Point(i, 1.0), Point(1.0, i));
//                                             ^^^^^ inlined hint
}
