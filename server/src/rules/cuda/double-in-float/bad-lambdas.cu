// Lambdas for the device that a library launches.
struct Each {
  template <typename F> void operator()(const float *from, float *to, int n, F op) const {}
};

void scale(const Each &each, const float *from, float *to, int n, float by) {
  each(from, to, n, [=] __device__(float x) {
    float half = x * 0.5 + by;
//                   ^^^ literal
    return half;
  });
  each(from, to, n, [=] __host__ __device__(float x) {
    float part = by * x * 0.25;
//                        ^^^^ narrowed
    return part;
  });
  each(from, to, n, [=](float x) {
    float part = by * x * 0.25;
    return part;
  });
}
