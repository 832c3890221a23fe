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
