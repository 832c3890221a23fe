// Class templates of well-known libraries, for programs whose headers are not at hand: the only names of types that may
// decide anything. C++ as their headers have it, cut to what says where elements are. A definition in the program goes
// before the name.

/** Names that many libraries have: they mean these classes only with their namespace. */
export const qualifiedOnly: ReadonlySet<string> = new Set(['span', 'mdspan', 'device_ptr']);

/**
 * `__usual_stride(stride)` is a stride that nothing fixes and that is 1 for every tensor but some views;
 * `__usual_stride(stride, i)` is `i` times that. Figures that rest on it are assumed.
 */
const torch = `
namespace at {
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits, typename I = int64_t>
struct TensorAccessorBase {
  typedef typename Traits<T>::PtrType PtrType;
  PtrType data_;
  const I *sizes_;
  const I *strides_;
  TensorAccessorBase(PtrType data, const I *sizes, const I *strides) : data_(data), sizes_(sizes), strides_(strides) {}
  I stride(I i) const { return i == N - 1 ? __usual_stride(strides_[i]) : strides_[i]; }
  I size(I i) const { return sizes_[i]; }
  PtrType data() const { return data_; }
};
template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits, typename I = int64_t>
struct TensorAccessor : TensorAccessorBase<T, N, Traits, I> {
  typedef typename Traits<T>::PtrType PtrType;
  TensorAccessor(PtrType data, const I *sizes, const I *strides)
      : TensorAccessorBase<T, N, Traits, I>(data, sizes, strides) {}
  TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    T *data = this->data_ + this->strides_[0] * i;
    return TensorAccessor<T, N - 1, Traits, I>(data, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <typename T, template <typename U> class Traits, typename I>
struct TensorAccessor<T, 1, Traits, I> : TensorAccessorBase<T, 1, Traits, I> {
  typedef typename Traits<T>::PtrType PtrType;
  TensorAccessor(PtrType data, const I *sizes, const I *strides)
      : TensorAccessorBase<T, 1, Traits, I>(data, sizes, strides) {}
  T &operator[](I i) const { return this->data_[__usual_stride(this->strides_[0], i)]; }
};

template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits, typename I = int64_t>
struct GenericPackedTensorAccessorBase {
  typedef typename Traits<T>::PtrType PtrType;
  PtrType data_;
  I sizes_[N];
  I strides_[N];
  I stride(I i) const { return i == N - 1 ? __usual_stride(strides_[i]) : strides_[i]; }
  I size(I i) const { return sizes_[i]; }
  PtrType data() const { return data_; }
};
template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits, typename I = int64_t>
struct GenericPackedTensorAccessor : GenericPackedTensorAccessorBase<T, N, Traits, I> {
  TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    T *data = this->data_ + this->strides_[0] * i;
    return TensorAccessor<T, N - 1, Traits, I>(data, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <typename T, template <typename U> class Traits, typename I>
struct GenericPackedTensorAccessor<T, 1, Traits, I> : GenericPackedTensorAccessorBase<T, 1, Traits, I> {
  T &operator[](I i) const { return this->data_[__usual_stride(this->strides_[0], i)]; }
};
template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits, typename I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, I>;
template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename U> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
}
namespace torch {
template <typename T> using DefaultPtrTraits = at::DefaultPtrTraits<T>;
template <typename T> using RestrictPtrTraits = at::RestrictPtrTraits<T>;
template <typename T, size_t N, template <typename U> class Traits = at::DefaultPtrTraits, typename I = int64_t>
using TensorAccessor = at::TensorAccessor<T, N, Traits, I>;
template <typename T, size_t N, template <typename U> class Traits = at::DefaultPtrTraits, typename I = int64_t>
using PackedTensorAccessor = at::GenericPackedTensorAccessor<T, N, Traits, I>;
template <typename T, size_t N, template <typename U> class Traits = at::DefaultPtrTraits>
using PackedTensorAccessor32 = at::GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename U> class Traits = at::DefaultPtrTraits>
using PackedTensorAccessor64 = at::GenericPackedTensorAccessor<T, N, Traits, int64_t>;
}
`;

/** Rows of a pitch in bytes that the image fixes; elements of a row are side by side. */
const opencv = `
namespace cv { namespace cuda {
template <typename T> struct DevPtr {
  typedef T elem_type;
  enum { elem_size = sizeof(T) };
  T *data;
  T &operator[](size_t i) const { return this->data[i]; }
};
template <typename T> struct PtrSz : DevPtr<T> {
  size_t size;
};
template <typename T> struct PtrStep : DevPtr<T> {
  size_t step;
  T *ptr(int y = 0) const { return (T *)((char *)this->data + y * this->step); }
  T &operator()(int y, int x) const { return ((T *)((char *)this->data + y * this->step))[x]; }
};
template <typename T> struct PtrStepSz : PtrStep<T> {
  int cols;
  int rows;
};
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<unsigned short> PtrStepSzus;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<unsigned short> PtrStepus;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;
}
namespace gpu {
template <typename T> using PtrSz = cv::cuda::PtrSz<T>;
template <typename T> using PtrStep = cv::cuda::PtrStep<T>;
template <typename T> using PtrStepSz = cv::cuda::PtrStepSz<T>;
template <typename T> using DevMem2D_ = cv::cuda::PtrStepSz<T>;
typedef cv::cuda::PtrStepSz<unsigned char> DevMem2D;
typedef cv::cuda::PtrStepSz<float> DevMem2Df;
typedef cv::cuda::PtrStepSz<int> DevMem2Di;
} }
`;

const standard = `
namespace std {
template <typename T, size_t N = 18446744073709551615ull> struct span {
  T *data_;
  size_t size_;
  T &operator[](size_t i) const { return data_[i]; }
  T &front() const { return data_[0]; }
  T *data() const { return data_; }
  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
};
struct layout_left { template <typename E> struct mapping {}; };
struct layout_right { template <typename E> struct mapping {}; };
struct layout_stride { template <typename E> struct mapping {}; };
template <typename T, typename E, typename L = layout_right> struct mdspan {
  T *data_;
  size_t extents_[8];
  size_t strides_[8];
  size_t extent(size_t i) const { return extents_[i]; }
  T *data_handle() const { return data_; }
  T &operator()(size_t i) const { return data_[strides_[0] * i]; }
  T &operator()(size_t i, size_t j) const { return data_[strides_[0] * i + strides_[1] * j]; }
  T &operator()(size_t i, size_t j, size_t k) const {
    return data_[strides_[0] * i + strides_[1] * j + strides_[2] * k];
  }
};
template <typename T, typename E> struct mdspan<T, E, layout_right> {
  T *data_;
  size_t extents_[8];
  size_t extent(size_t i) const { return extents_[i]; }
  T *data_handle() const { return data_; }
  T &operator()(size_t i) const { return data_[i]; }
  T &operator()(size_t i, size_t j) const { return data_[extents_[1] * i + j]; }
  T &operator()(size_t i, size_t j, size_t k) const { return data_[(extents_[1] * i + j) * extents_[2] + k]; }
};
template <typename T, typename E> struct mdspan<T, E, layout_left> {
  T *data_;
  size_t extents_[8];
  size_t extent(size_t i) const { return extents_[i]; }
  T *data_handle() const { return data_; }
  T &operator()(size_t i) const { return data_[i]; }
  T &operator()(size_t i, size_t j) const { return data_[i + extents_[0] * j]; }
  T &operator()(size_t i, size_t j, size_t k) const { return data_[i + extents_[0] * (j + extents_[1] * k)]; }
};
}
namespace cuda { namespace std {
template <typename T, size_t N = 18446744073709551615ull> using span = ::std::span<T, N>;
typedef ::std::layout_left layout_left;
typedef ::std::layout_right layout_right;
typedef ::std::layout_stride layout_stride;
template <typename T, typename E, typename L = ::std::layout_right> using mdspan = ::std::mdspan<T, E, L>;
} }
namespace thrust {
template <typename T> struct device_ptr {
  T *pointer_;
  T &operator[](ptrdiff_t i) const { return pointer_[i]; }
  T &operator*() const { return *pointer_; }
  T *get() const { return pointer_; }
};
}
`;

const runtime = `
struct cudaPitchedPtr { void *ptr; size_t pitch; size_t xsize; size_t ysize; };
struct cudaExtent { size_t width; size_t height; size_t depth; };
struct cudaPos { size_t x; size_t y; size_t z; };
`;

/** Fragments of a product on tensor cores. A lane has one of 32 parts of a matrix. */
const tensorCores = `
namespace nvcuda { namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
template <typename Use, int m, int n, int k, typename T, typename Layout = void> struct fragment {
  static const int num_elements = m * n / 32;
  T x[m * n / 32];
};
} }
`;

export const libraryTypes = torch + opencv + standard + runtime + tensorCores;
