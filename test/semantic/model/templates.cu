// Classes of templates: specialisations whole and in part, members by their arguments, bases that constructors fill.
template <typename T, int N> struct Wide { T part[N]; };
template <> struct Wide<char, 4> { int whole; };
template <typename T> struct Wide<T, 2> { T x, y; };
template <typename T> struct Wide<T *, 2> { T *x; };
template <typename T> struct Traits { using type = T; static constexpr int stride = 1; };
template <> struct Traits<short> { using type = int; static constexpr int stride = 4; };
template <typename T> struct Traits<const T *> { using type = double; enum { stride = 2 }; };
template <typename T> struct Traits<const T> : Traits<T> { static constexpr int stride = 32; };
template <typename T> struct Traits<T *> { enum { stride = 8 }; };
struct Other { using type = char; static constexpr int stride = 16; };
template <typename T, int N, template <typename U> class Of> struct Holder {
  typedef typename Of<T>::type *pointer;
  pointer data;
  long pitch;
  __device__ Holder(pointer from, long by) : data(from), pitch(by) {}
};
template <typename T, int N, template <typename U> class Of = Traits> struct View : Holder<T, N, Of> {
  typedef typename Of<T>::type *pointer;
  __device__ View(pointer from, long by) : Holder<T, N, Of>(from, by) {}
  __device__ View<T, N - 1, Of> operator[](long i) { return View<T, N - 1, Of>(this->data + this->pitch * i, 1); }
};
template <typename T, template <typename U> class Of> struct View<T, 1, Of> : Holder<T, 1, Of> {
  typedef typename Of<T>::type *pointer;
  __device__ View(pointer from, long by) : Holder<T, 1, Of>(from, by) {}
  __device__ typename Of<T>::type &operator[](long i) { return this->data[i]; }
};
struct WholeView {
  float *data;
  __device__ View<float, 1> operator[](long i) { return View<float, 1>(data + 64 * i, 1); }
};
template <typename T> __global__ void any(T *out, typename Traits<T>::type *more) {
  out[threadIdx.x * Traits<T>::stride] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/2
  more[threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^ store 4/4
}
__global__ void chosen(Wide<char, 4> *a, Wide<float, 2> *b, Wide<float *, 2> *c, Wide<float, 8> *d) {
  a[threadIdx.x].whole = 0;
//^^^^^^^^^^^^^^^^^^^^ store 4/4
  b[threadIdx.x].x = 0;
//^^^^^^^^^^^^^^^^ store 8/4
  c[threadIdx.x].x = 0;
//^^^^^^^^^^^^^^^^ store 8/8
  d[threadIdx.x].part[0] = 0;
//^^^^^^^^^^^^^^^^^^^^^^ store 32/4
}
__global__ void members(typename Traits<short>::type *a, typename Traits<const char *>::type *b, float *c) {
  a[threadIdx.x] = 0;
//^^^^^^^^^^^^^^ store 4/4
  b[threadIdx.x] = 0;
//^^^^^^^^^^^^^^ store 8/8
  c[threadIdx.x * Traits<short>::stride] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 16/4
  c[threadIdx.x * Traits<int *>::stride] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 32/4
  c[threadIdx.x * Traits<float>::stride] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
  c[threadIdx.x * Traits<const int *>::stride] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/4
}
__global__ void views(float *out, WholeView from) {
  View<float, 2> rows(out, 32);
  rows[threadIdx.x][0] = 0;
//^^^^^^^^^^^^^^^^^^^^ store 32/4
  rows[0][threadIdx.x] = from[threadIdx.x][1];
//^^^^^^^^^^^^^^^^^^^^ store 4/4
//                       ^^^^^^^^^^^^^^^^^^^^ load 32/4
}
int main() {
  any<short><<<1, 32>>>(nullptr, nullptr);
  chosen<<<1, 32>>>(nullptr, nullptr, nullptr, nullptr);
  members<<<1, 32>>>(nullptr, nullptr, nullptr);
  views<<<1, 32>>>(nullptr, WholeView());
}

// Specialisations of functions, and members of class templates that are templates themselves.
template <int N> __device__ void put(unsigned char *out, const int *from);
template <> __device__ void put<1>(unsigned char *out, const int *from) {
  out[0] = from[0];
//^^^^^^ store 4/1
}
template <> __device__ void put<4u>(unsigned char *out, const int *from) {
  *reinterpret_cast<unsigned int *>(out) = from[0] | from[1];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
}
template <typename T> __device__ void fill(T *out, int i) {
  out[i] = 0;
//^^^^^^ store 4/4
}
template <> __device__ void fill<double>(double *out, int i) {
  out[2 * i] = 0;
//^^^^^^^^^^ store 16/8
}
template <int N> __global__ void putting(unsigned char *out, float *floats, double *doubles) {
  static const unsigned int bytes = N / 2u;
  int values[4] = {1, 2, 3, 4};
  put<bytes>(out + threadIdx.x * 4, values);
  fill<double>(doubles, threadIdx.x);
  fill<float>(floats, threadIdx.x);
}
__global__ void puttingOne(unsigned char *out) {
  int value[1] = {1};
  put<1>(out + threadIdx.x * 4, value);
}
template <typename T> struct Solver {
  template <int NT, int VT> void run(float *out);
  template <int N> __device__ void each(float *out) {
    out[threadIdx.x * N] = 0;
//  ^^^^^^^^^^^^^^^^^^^^ store 12/4
  }
};
template <int NT, int VT> __global__ void solving(float *out) {
  out[threadIdx.x * VT] = NT;
//^^^^^^^^^^^^^^^^^^^^^ store 8/4
  if (blockDim.x == 96) out[threadIdx.x * 5] = 0;
//                      ^^^^^^^^^^^^^^^^^^^^ store 20/4
  Solver<double> solver;
  solver.each<3>(out);
}
template <typename T> template <int NT, int VT> void Solver<T>::run(float *out) { solving<NT, VT><<<1, NT>>>(out); }
void runSolver(float *out, unsigned char *bytes, double *doubles) {
  Solver<char> solver;
  solver.run<96, 2>(out);
  putting<8><<<1, 32>>>(bytes, out, doubles);
  puttingOne<<<1, 32>>>(bytes);
}

// Constants of a class template, of the object that a method runs on; the class's before a global one of the name.
const int area = 7;
template <typename T, int R, int C> class Blocks {
 public:
  static const int area = R * C;
  enum { rows = R };
  __device__ Blocks(T *data) : data_(data) {}
  __device__ T *at(int i) const { return data_ + i * area; }
  __device__ T *row(int i) const { return data_ + i * rows; }

 private:
  T *data_;
};
template <typename T, int C> class Blocks<T, 1, C> {
 public:
  static const int area = C + 1;
  __device__ T *at(int i) const { return data_ + i * area; }
  T *data_;
};
typedef Blocks<double, 3, 2> Wide32;
__global__ void blocked(Wide32 blocks, Blocks<float, 1, 4> special, float *out) {
  blocks.at(threadIdx.x)[0] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^ store 32/8
  blocks.row(threadIdx.x)[0] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^ store 24/8
  special.at(threadIdx.x)[0] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^ store 20/4
  out[threadIdx.x * area] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^ store 28/4
}
void runBlocked(double *data, Blocks<float, 1, 4> special, float *out) {
  blocked<<<1, 32>>>(Wide32(data), special, out);
}
