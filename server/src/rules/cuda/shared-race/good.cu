#include <cooperative_groups.h>

constexpr int tile = 16;

__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile + 2], bs[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  for (int m = 0; m < n / tile; m++) {
    as[ty][tx] = a[(blockIdx.y * tile + ty) * n + m * tile + tx];
    bs[ty][tx] = b[(m * tile + ty) * n + blockIdx.x * tile + tx];
    __syncthreads();
    for (int k = 0; k < tile; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * tile + ty) * n + blockIdx.x * tile + tx] = sum;
}

__global__ void two_buffers(const float *a, float *c) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < 8; m++) {
    s[m & 1][t] = a[m * 256 + t];
    __syncthreads();
    sum += s[m & 1][255 - t];
  }
  c[t] = sum;
}

__global__ void halo(const float *in, float *out, int n) {
  __shared__ float s[256 + 2];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) {
    s[t + 1] = in[i];
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
  }
  __syncthreads();
  if (i < n) out[i] = s[t] + s[t + 1] + s[t + 2];
}

// What another thread reads is written before the barrier, and what it reads itself is its own.
__global__ void columns(const float *in, float *out) {
  __shared__ float s[8][128];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) s[i][t] = in[i * 128 + t];
  float sum = 0.0f;
  for (int i = 0; i < 8; i++) sum += s[7 - i][t];
  out[t] = sum;
}

// All threads write the same.
__global__ void any_above(const float *in, int *out) {
  __shared__ int any;
  any = 0;
  __syncthreads();
  if (in[threadIdx.x] > 2.0f) any = 1;
  __syncthreads();
  out[threadIdx.x] = any;
}

// Atomics order themselves.
__global__ void histogram(const int *in, int *out) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x & 31], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void in_warps(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncwarp();
  d[t] = s[t ^ 1];
}

// Of a shuffle, and of groups smaller than a warp, it is not said that they order memory; nor is it held against them.
__global__ void after_shuffle(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  float other = __shfl_xor_sync(0xffffffffu, d[t + 256], 1);
  d[t] = s[t ^ 1] + other;
}
__global__ void after_masked_shuffle(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  float other = __shfl_xor_sync(__activemask(), d[t + 256], 1);
  d[t] = s[t ^ 1] + other;
}
__global__ void in_groups(float *d) {
  __shared__ float s[256];
  auto group = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int t = threadIdx.x;
  s[t] = d[t];
  group.sync();
  d[t] = s[t ^ 1];
}

// Data decide the places, or which threads come.
__global__ void by_data(const int *at, const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[at[t]] = in[t];
  out[t] = s[t];
}
__global__ void those_above(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (in[t] > 0.0f) s[t] = in[t];
  out[t] = s[255 - t];
}
__global__ void by_the_first(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (in[t] > 0.0f && s[255 - t] > 0.0f) out[t] = 1.0f;
}
__global__ void those_left(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (in[t] > 0.0f) return;
  s[t] = in[t];
  out[t] = s[255 - t];
}
__global__ void those_going_on(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) {
    if (in[i * 256 + t] > 0.0f) continue;
    s[t] = in[t];
    out[t] = s[255 - t];
  }
}
__global__ void by_count(const float *in, float *out, const int *count) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < count[0]) {
    s[t] = in[t];
    out[t] = s[t ^ 64];
  }
}
__global__ void up_to_count(const float *in, float *out, const int *count) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t >= count[0]) return;
  s[t] = in[t];
  out[t] = s[t ^ 64];
}
__global__ void either(const float *in, float *out, int first) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (first) s[t] = in[t];
  else out[t] = s[255 - t];
}

__global__ void if_asked(const float *in, float *out, int asked) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (asked) out[t] = s[255 - t];
}
__global__ void by_rest(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < n % 200) {
    s[t] = in[t];
    out[t] = s[t ^ 64];
  }
}
__global__ void rows_and_then(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  for (int m = 0; m < n; m++) s[m * 256 + t] = in[m * 256 + t];
  out[t] = s[256 + 255 - t];
}

// One lane's value stays, whichever it is.
__global__ void one_of_the_warp(const float *in, float *out) {
  __shared__ float one;
  if (threadIdx.x < 32) one = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = one;
}

// What these do is not in sight.
__global__ void through_another(float *d, void (*meet)(float *)) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  meet(s);
  d[t] = s[255 - t];
}
__global__ void by_assembly(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  asm volatile("bar.sync 1, 256;" ::: "memory");
  d[t] = s[255 - t];
}
__global__ void behind_a_flag(float *d, int *flag) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __threadfence();
  atomicAdd(flag, 1);
  while (atomicAdd(flag, 0) < 256) {
  }
  d[t] = s[255 - t];
}

// Elements that operators of its own find.
template <typename T, int width> struct Skewed {
  enum { row = width + 1 };
  T data[4 * row];
  __device__ int offset(int at) { return at / 2 + (at & 1) * 2 * row; }
  __device__ T &operator[](const int at) { return data[at]; }
};
struct Transform {
  typedef Skewed<float, 256> Buffer;
  Buffer buffer;
  __device__ void run(float *d) {
    buffer[buffer.offset(threadIdx.x)] = d[threadIdx.x];
    d[threadIdx.x] = buffer[buffer.offset(threadIdx.x)];
  }
};
__global__ void by_operator(float *d) {
  __shared__ Transform s;
  s.run(d);
}

// Types with methods are not followed: which element a call of theirs finds is theirs to say.
struct Ring {
  float data[256];
  __device__ float &operator()(int at) { return data[at]; }
};
__global__ void by_call_operator(float *d) {
  __shared__ Ring s;
  int t = threadIdx.x;
  s(t) = d[t];
  d[t] = s(t);
}

// The grid covers the data, as far as is known: there is no second iteration.
__global__ void over_the_grid(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
  }
}

// No launch says how many threads there are: with 32 there is no other warp.
__global__ void of_some_block(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncwarp();
  d[t] = s[t ^ 32];
}

void launch(float *a, float *b, float *c, int *i, int n, void (*meet)(float *)) {
  product<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a, b, c, n);
  two_buffers<<<1, 256>>>(a, b);
  halo<<<n / 256, 256>>>(a, b, n);
  columns<<<1, 128>>>(a, b);
  any_above<<<1, 256>>>(a, i);
  histogram<<<1, 256>>>(i, i + n);
  in_warps<<<1, 256>>>(a);
  after_shuffle<<<1, 256>>>(a);
  after_masked_shuffle<<<1, 256>>>(a);
  in_groups<<<1, 256>>>(a);
  by_data<<<1, 256>>>(i, a, b);
  those_above<<<1, 256>>>(a, b);
  by_the_first<<<1, 256>>>(a, b);
  those_left<<<1, 256>>>(a, b);
  those_going_on<<<1, 256>>>(a, b);
  by_count<<<1, 256>>>(a, b, i);
  up_to_count<<<1, 256>>>(a, b, i);
  either<<<1, 256>>>(a, b, n);
  if_asked<<<1, 256>>>(a, b, n);
  by_rest<<<1, 256>>>(a, b, n);
  rows_and_then<<<1, 256, 4096>>>(a, b, n);
  one_of_the_warp<<<1, 128>>>(a, b);
  through_another<<<1, 256>>>(a, meet);
  by_assembly<<<1, 256>>>(a);
  behind_a_flag<<<1, 256>>>(a, i);
  by_operator<<<1, 256>>>(a);
  by_call_operator<<<1, 256>>>(a);
  over_the_grid<<<n / 256, 256>>>(a, b, n);
}

// The filter has at most 32 taps, whatever the block is: a guard by a number of threads lets in as many as it says.
__global__ void filters(const float *weights, float *out, int taps) {
  __shared__ float filter[32 * 2];
  if (threadIdx.x < taps) filter[threadIdx.x + threadIdx.y * 32] = weights[threadIdx.x + threadIdx.y * taps];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < taps; i++) sum += filter[i + threadIdx.y * 32];
  out[(blockIdx.x * 2 + threadIdx.y) * 128 + threadIdx.x] = sum;
}

void launchFilters(const float *weights, float *out, int taps) { filters<<<64, dim3(128, 2)>>>(weights, out, taps); }

__global__ void mirrored(const float *lower, float *whole, int n) {
  __shared__ float tile[32 * 32];
  int t = threadIdx.y * 32 + threadIdx.x;
  tile[t] = lower[blockIdx.x * 1024 + t];
  __syncthreads();
  // What is written back to where it was read from is no write.
  if (threadIdx.y > threadIdx.x)
    tile[t] = tile[threadIdx.x * 32 + threadIdx.y];
  else
    tile[t] = tile[t];
  __syncthreads();
  whole[blockIdx.x * 1024 + t] = tile[t];
}

__global__ void agreed(const int *ends, const int *order, float *out, int n) {
  __shared__ int end;
  __shared__ int own[256];
  for (int at = blockIdx.x; at < n; at += gridDim.x) {
    own[threadIdx.x] = order[at];
    // Each thread writes it, and finds what it wrote itself.
    end = ends[own[threadIdx.x]];
    for (int i = threadIdx.x; i < end; i += 256) out[i] += 1.0f;
    __syncthreads();
  }
}

void agree(const int *ends, const int *order, float *out, int n) { agreed<<<132, 256>>>(ends, order, out, n); }
