// Lambdas for the device that a library launches.
struct Each {
  template <typename F> void operator()(const float *from, float *to, int n, F op) const {}
};

void scale(const Each &each, const float *from, float *to, int n, float by) {
  each(from, to, n, [=] __device__(float x) {
    float half = x * 0.5f + by;
    return half;
  });
  each(from, to, n, [=] __host__ __device__(float x) {
    float part = by * x * 0.25f;
    return part;
  });
  each(from, to, n, [=](float x) {
    float part = by * x * 0.25;
    return part;
  });
}
