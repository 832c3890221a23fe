// Types that belong to template arguments: named in the kernel by `using` and `typedef`, at any depth, for each argument
// of a launch, also of one through a pointer to the kernel.
struct Wide { using One = float; using Two = float2; };
struct Narrow { using One = short; using Two = short2; };
struct WideFormat { using Element = Wide; };
struct NarrowFormat { using Element = Narrow; };
template <typename Format> __global__ void named(void *out) {
  using Given = Format;
  using Element = typename Given::Element;
  typedef typename Element::One One;
  reinterpret_cast<One *>(out)[threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 2/2
}
template <typename Format> __global__ void deep(void *out) {
  using One = typename Format::Element::One;
  reinterpret_cast<One *>(out)[threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 2/2
}
template <typename Element> __global__ void pairs(void *out) {
  using One = typename Element::One;
  using Two = typename Element::Two;
  Two pair;
  pair.x = 0;
  *reinterpret_cast<Two *>(&reinterpret_cast<One *>(out)[2 * threadIdx.x]) = pair;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/8
}
template <typename Element, int step> __global__ void pointed(void *out) {
  reinterpret_cast<typename Element::One *>(out)[step * threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/2
}
template <typename Element, int step> __global__ void together(void *out) {
  reinterpret_cast<typename Element::One *>(out)[step * threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/2
}
template <int size, typename Kernel> void launch(Kernel kernel, float *out) { kernel<<<1, size>>>(out); }
template <typename Element, int step> __global__ void passed(void *out) {
  reinterpret_cast<typename Element::One *>(out)[step * threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/4
}
// Nothing gives this one a type. Whatever has the members that it asks for keeps its lanes side by side.
template <typename Element> __global__ void open(void *out) {
  using One = typename Element::One;
  using Two = typename Element::Two;
  Two pair;
  pair.x = 0;
  *reinterpret_cast<Two *>(&reinterpret_cast<One *>(out)[2 * threadIdx.x]) = pair;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/8
}
// The lanes are apart by two elements of the one that fits best, and by four of the other.
struct Loose { using Part = int; enum { step = 2 }; };
struct Looser { using Part = long long; enum { step = 4 }; };
template <typename Shape> __global__ void apart(void *out) {
  reinterpret_cast<typename Shape::Part *>(out)[Shape::step * threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/4
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 32/8 assumed
}
// No class has such a member: the size of what is stored and of what the index counts are two unknowns.
template <typename Unseen> __global__ void unseen(void *out) {
  using Part = typename Unseen::NoSuchPart;
  reinterpret_cast<Part *>(out)[threadIdx.x] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4 assumed
}
void go(float *out) {
  named<NarrowFormat><<<1, 32>>>(out);
  deep<NarrowFormat><<<1, 32>>>(out);
  pairs<Narrow><<<1, 32>>>(out);
  pairs<Wide><<<1, 32>>>(out);
  auto kernel = &pointed<Narrow, 2>;
  kernel<<<1, 32>>>(out);
  auto cooperative = together<Narrow, 4>;
  void *args[] = {&out};
  cudaLaunchCooperativeKernel((const void *)cooperative, dim3(1), dim3(32), args, 0, 0);
  launch<32>(passed<Wide, 2>, out);
}
