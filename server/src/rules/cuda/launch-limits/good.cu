#include <algorithm>
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
__global__ void __launch_bounds__(512) few(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}
__global__ void staged(float *x, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  x[i] = tile[threadIdx.x] + 1.0f;
}

void launch(float *x, int n, int rows, int depth, int bytes) {
  // The most that there may be.
  scale<<<dim3(1 << 20, 65535, 1), dim3(2, 4, 64)>>>(x, n);
  few<<<n / 512, 512>>>(x, n);
  staged<<<n / 256, 256, 48 * 1024>>>(x, n);
  // What nothing in sight fixes.
  scale<<<dim3(1, rows), dim3(1, 4, depth)>>>(x, n);
  staged<<<n / 256, 256, bytes>>>(x, n);
  if (rows == 1) few<<<n / 1024, 1024>>>(x, n);
  int most = rows > 65535 ? 65535 : rows;
  scale<<<dim3(1, most), 256>>>(x, n);
}

// The bounds are those of another kernel of that name.
namespace one {
template <int group, int most>
__global__ void __launch_bounds__(most) gather(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += group;
}
} // namespace one
namespace two {
template <int most, int group>
__global__ void gather(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] -= group;
}
void launch(float *x, int n) { gather<128, 4><<<n / 128, 128>>>(x, n); }
} // namespace two

// The limit of the block is a bound: it is reached only where `most` allows the shared memory.
__global__ void bounded(float *out) {
  extern __shared__ float part[];
  part[threadIdx.x] = threadIdx.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[threadIdx.x];
}
void launch_bounded(float *out, int n, int most) {
  int threads = std::min(most / 72 / 32 * 32, std::min(1024, n));
  bounded<<<(n + threads - 1) / threads, threads, 72 * threads>>>(out);
}
