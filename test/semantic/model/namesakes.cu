// A launch belongs to the kernel that C++ finds: innermost scope first, and as many parameters as it gives arguments. Lines of 16 lanes tell the blocks apart.
namespace lib {
namespace detail {
template <int LANES, int THREADS>
__global__ void turn(const float *in, float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1.0f;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
}
} // namespace detail
void launchTurn(float *f) { detail::turn<16, 256><<<64, dim3(32, 8)>>>(f, f); }

namespace legacy {
namespace detail {
template <int THREADS, int LANES>
__global__ void turn(const float *in, float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1.0f;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
}
template <int THREADS, int LANES>
__global__ void turn(const float *in, float *out, int pitch) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1.0f;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 8/4
}
} // namespace detail
void launchTurn(float *f) {
  detail::turn<256, 16><<<64, dim3(16, 16)>>>(f, f);
  detail::turn<256, 4><<<64, dim3(4, 32)>>>(f, f, 1024);
}
template <typename... Arguments>
void launchAny(float *f, Arguments... rest) {
  other::turn<<<64, dim3(2, 64)>>>(f, rest...);
}
} // namespace legacy
} // namespace lib

namespace other {
__global__ void turn(const float *in, float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = 1.0f;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 16/4
}
} // namespace other
