// Accesses behind device functions, methods, references, lambdas and pointers that move.
struct View {
  float *data;
  int pitch;
  __device__ float &at(int row, int column) { return data[row * pitch + column]; }
  __device__ float operator()(int row, int column) const { return data[column * 64 + row]; }
//                                                                ^^^^^^^^^^^^^^^^^^^^^^^ load 4/4
};

__device__ float pick(const float *p, int i) { return p[4 * i]; }
//                                                    ^^^^^^^^ load 16/4
template <int N> __device__ void addAll(float (&sums)[N], const float *p) {
  for (int k = 0; k < N; ++k) sums[k] += p[k * 32];
//                                       ^^^^^^^^^ load 4/4
}

__global__ void behind(View view, const float *in, float *out) {
  const int t = threadIdx.x;
  float sums[4] = {0, 0, 0, 0};
  addAll(sums, in + t);
  auto doubled = [&](int i) { return in[2 * i]; };
//                                   ^^^^^^^^^ load 8/4
  const float *walker = in + t * 4;
  walker += 1;
  float total = *walker + pick(in, t) + doubled(t);
//              ^^^^^^^ load 16/4
  view.at(t, 0) = total;
//^^^^^^^^^^^^^ store 32/4
  view.at(0, t) = view(t, 1);
//^^^^^^^^^^^^^ store 4/4
  out[t] = total + sums[0] + sums[3];
//^^^^^^ store 4/4
}

void run(float *p) {
  View view{p, 64};
  behind<<<16, 64>>>(view, p, p);
}
__device__ float atomicMin(float *at, float value) {
  unsigned *word = (unsigned *)at, seen = *word;
//                                        ^^^^^ load 1/1
  while (value < __uint_as_float(seen)) {
    const unsigned before = seen;
    if ((seen = atomicCAS(word, before, __float_as_uint(value))) == before) break;
//                        ^^^^ atomic 1/1
  }
  return __uint_as_float(seen);
}
__global__ void overloaded(float *least, int *leastWhole, const float *in) {
  atomicMin(least, in[threadIdx.x]);
//                 ^^^^^^^^^^^^^^^ load 4/4
  atomicMin(leastWhole, (int)threadIdx.x);
//          ^^^^^^^^^^ atomic 1/1
}
__global__ void throughPointers(const float *a, float *s, double *c, int n) {
  int t = threadIdx.x, e;
  float x, y;
  sincosf(a[t], s + t * 8, &s[t]);
//        ^^^^ load 4/4
//              ^^^^^^^^^ store 32/4
//                          ^^^^ store 4/4
  __sincosf(frexpf(s[n], &e), &x, &y);
//                 ^^^^ load 1/1
  c[t + e] = modf(x, c + t) + y;
//                   ^^^^^ store 8/8
//^^^^^^^^ store 8/8 assumed
}
