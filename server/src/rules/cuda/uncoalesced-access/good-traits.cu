// The type behind a trait that is not known is none of what other traits call by the same name.
struct Host {
  double room[3];
};
struct Device {
  double room[3];
};
enum Space { host, device };
enum Precision { narrow, wide };

template <Space>
struct SpaceOf;
template <>
struct SpaceOf<host> {
  typedef Host Type;
};
template <>
struct SpaceOf<device> {
  typedef Device Type;
};
template <Precision>
struct NumberOf;
template <>
struct NumberOf<narrow> {
  typedef float Type;
};
template <>
struct NumberOf<wide> {
  typedef double Type;
};

template <Space s, Precision p>
struct Mode {
  static const Space space = s;
  static const Precision precision = p;
  typedef SpaceOf<space> SpaceTraits;
  typedef NumberOf<precision> NumberTraits;
  typedef typename SpaceTraits::Type Where;
  typedef typename NumberTraits::Type Value;
};

template <typename T>
__global__ void copied(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

template <class M>
class Copier {
  typedef typename M::Value Value;

public:
  void copy(const Value *in, Value *out, int n) { copied<Value><<<(n + 255) / 256, 256>>>(in, out, n); }
};
