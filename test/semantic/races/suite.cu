// Kernels with and without races in shared memory; racecheck.json says what compute-sanitizer found in each.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int TILE = 16;

__global__ void reverse_without_barrier(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[255 - t];
}
__global__ void reverse_with_barrier(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[255 - t];
}
__global__ void neighbour_without_barrier(const float *in, float *out) {
  __shared__ float s[257];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t == 0) s[256] = 0.0f;
  out[t] = s[t] + s[t + 1];
}
__global__ void reduce_without_loop_barrier(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1)
    if (t < half) s[t] += s[t + half];
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_with_loop_barrier(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_without_first_barrier(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  for (unsigned half = 128; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
__global__ void reduce_last_read_by_another_warp(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  for (unsigned half = 128; half > 0; half >>= 1) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  out[t] = s[0];
}
__global__ void reduce_last_read_by_first_thread(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  for (unsigned half = 128; half > 0; half >>= 1) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) out[0] = s[0];
}
__global__ void warp_tail_plain(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned half = 128; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) out[0] = s[0];
}
__global__ void warp_tail_volatile(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned half = 128; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    volatile float *v = s;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  if (t == 0) out[0] = s[0];
}
__global__ void warp_tail_syncwarp(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned half = 128; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int half = 16; half > 0; half >>= 1) {
      __syncwarp();
      s[t] = v;
      __syncwarp();
      v += s[t + half];
    }
    if (t == 0) out[0] = v;
  }
}
__global__ void warp_tail_guarded_plain(const float *in, float *out) {
  __shared__ float s[64];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) s[t] += s[t + 32];
  if (t < 16) s[t] += s[t + 16];
  if (t < 8) s[t] += s[t + 8];
  if (t < 4) s[t] += s[t + 4];
  if (t < 2) s[t] += s[t + 2];
  if (t == 0) out[0] = s[0] + s[1];
}
__global__ void warp_tail_guarded_syncwarp(const float *in, float *out) {
  __shared__ float s[64];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) s[t] += s[t + 32];
  __syncwarp();
  if (t < 16) s[t] += s[t + 16];
  __syncwarp();
  if (t < 8) s[t] += s[t + 8];
  __syncwarp();
  if (t < 4) s[t] += s[t + 4];
  __syncwarp();
  if (t < 2) s[t] += s[t + 2];
  __syncwarp();
  if (t == 0) out[0] = s[0] + s[1];
}
__global__ void warp_tail_shuffle(const float *in, float *out) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned half = 128; half > 16; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t];
    for (int half = 16; half > 0; half >>= 1) v += __shfl_down_sync(0xffffffff, v, half);
    if (t == 0) out[0] = v;
  }
}
__global__ void tile_product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < n / TILE; m++) {
    as[ty][tx] = a[row * n + m * TILE + tx];
    bs[ty][tx] = b[(m * TILE + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void tile_product_without_first_barrier(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < n / TILE; m++) {
    as[ty][tx] = a[row * n + m * TILE + tx];
    bs[ty][tx] = b[(m * TILE + ty) * n + col];
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void tile_product_without_second_barrier(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < n / TILE; m++) {
    as[ty][tx] = a[row * n + m * TILE + tx];
    bs[ty][tx] = b[(m * TILE + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
  }
  c[row * n + col] = sum;
}
__global__ void tile_product_double_buffer(const float *a, const float *b, float *c, int n) {
  __shared__ float as[2][TILE][TILE], bs[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  as[0][ty][tx] = a[row * n + tx];
  bs[0][ty][tx] = b[ty * n + col];
  __syncthreads();
  for (int m = 0; m < n / TILE; m++) {
    int now = m & 1, next = now ^ 1;
    if (m + 1 < n / TILE) {
      as[next][ty][tx] = a[row * n + (m + 1) * TILE + tx];
      bs[next][ty][tx] = b[((m + 1) * TILE + ty) * n + col];
    }
    for (int k = 0; k < TILE; k++) sum += as[now][ty][k] * bs[now][k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void double_buffer_without_barrier(const float *a, float *c) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  float sum = 0.0f;
  s[0][t] = a[t];
  for (int m = 0; m < 8; m++) {
    s[(m + 1) & 1][t] = a[(m + 1) * 256 + t];
    sum += s[m & 1][255 - t];
  }
  c[t] = sum;
}
__global__ void double_buffer_one_barrier(const float *a, float *c) {
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
__global__ void single_buffer_one_barrier(const float *a, float *c) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < 8; m++) {
    s[t] = a[m * 256 + t];
    __syncthreads();
    sum += s[255 - t];
  }
  c[t] = sum;
}
__global__ void scan_one_buffer(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t >= step) s[t] += s[t - step];
    __syncthreads();
  }
  d[t] = s[t];
}
__global__ void scan_two_barriers(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    float v = t >= step ? s[t - step] : 0.0f;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  d[t] = s[t];
}
__global__ void scan_two_buffers(float *d) {
  __shared__ float s[2 * 256];
  int t = threadIdx.x;
  int out = 0, in = 1;
  s[t] = d[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    out = 1 - out;
    in = 1 - out;
    s[out * 256 + t] = t >= step ? s[in * 256 + t] + s[in * 256 + t - step] : s[in * 256 + t];
    __syncthreads();
  }
  d[t] = s[out * 256 + t];
}
__global__ void scan_two_buffers_without_barrier(float *d) {
  __shared__ float s[2 * 256];
  int t = threadIdx.x;
  int out = 0;
  s[t] = d[t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    out = 1 - out;
    int in = 1 - out;
    s[out * 256 + t] = t >= step ? s[in * 256 + t] + s[in * 256 + t - step] : s[in * 256 + t];
  }
  __syncthreads();
  d[t] = s[out * 256 + t];
}
__global__ void blelloch_scan(float *d) {
  __shared__ float s[512];
  int t = threadIdx.x;
  int offset = 1;
  s[2 * t] = d[2 * t];
  s[2 * t + 1] = d[2 * t + 1];
  for (int half = 256; half > 0; half >>= 1) {
    __syncthreads();
    if (t < half) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[511] = 0.0f;
  for (int half = 1; half < 512; half *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < half) {
      float left = s[offset * (2 * t + 1) - 1];
      s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
      s[offset * (2 * t + 2) - 1] += left;
    }
  }
  __syncthreads();
  d[2 * t] = s[2 * t];
  d[2 * t + 1] = s[2 * t + 1];
}
__global__ void blelloch_scan_without_barrier_up(float *d) {
  __shared__ float s[512];
  int t = threadIdx.x;
  int offset = 1;
  s[2 * t] = d[2 * t];
  s[2 * t + 1] = d[2 * t + 1];
  for (int half = 256; half > 0; half >>= 1) {
    if (t < half) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  __syncthreads();
  d[2 * t] = s[2 * t];
  d[2 * t + 1] = s[2 * t + 1];
}
__global__ void halo_tile(const float *in, float *out, int n) {
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
__global__ void halo_tile_without_barrier(const float *in, float *out, int n) {
  __shared__ float s[256 + 2];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) {
    s[t + 1] = in[i];
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = s[t] + s[t + 1] + s[t + 2];
  }
}
__global__ void halo_written_after_barrier(const float *in, float *out) {
  __shared__ float s[256 + 2];
  int t = threadIdx.x;
  s[t + 1] = in[t];
  __syncthreads();
  if (t == 0) s[0] = in[255];
  if (t == 128) s[257] = in[0];
  out[t] = s[t] + s[t + 1] + s[t + 2];
}
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_without_barrier(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_too_narrow(const float *in, float *out, int n) {
  __shared__ float tile[32 * 32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[(threadIdx.y + j) * 28 + threadIdx.x] = in[(y + j) * n + x] + threadIdx.x;
  __syncthreads();
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[(threadIdx.y + j) * 28 + threadIdx.x];
}
__global__ void histogram(const int *in, int *out, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 255], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void histogram_without_first_barrier(const int *in, int *out, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 255], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void counter_set_beside_atomics(const int *in, int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
__global__ void counter_all_add_beside_set(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
__global__ void counter_read_beside_atomics(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (threadIdx.x == 64) out[0] = count;
}
__global__ void counter_with_barriers(const int *in, int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}
__global__ void broadcast_without_barrier(const float *in, float *out) {
  __shared__ float scale;
  if (threadIdx.x == 0) scale = in[0];
  out[threadIdx.x] = in[threadIdx.x] * scale;
}
__global__ void broadcast_with_barrier(const float *in, float *out) {
  __shared__ float scale;
  if (threadIdx.x == 0) scale = in[0];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] * scale;
}
__global__ void broadcast_in_loop_without_second_barrier(const float *in, float *out) {
  __shared__ float scale;
  float sum = 0.0f;
  for (int i = 0; i < 16; i++) {
    if (threadIdx.x == 0) scale = in[i];
    __syncthreads();
    sum += scale * in[threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
__global__ void broadcast_in_loop_with_both(const float *in, float *out) {
  __shared__ float scale;
  float sum = 0.0f;
  for (int i = 0; i < 16; i++) {
    if (threadIdx.x == 0) scale = in[i];
    __syncthreads();
    sum += scale * in[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void same_value_by_all(const int *in, int *out) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (in[threadIdx.x] > 2) any = 1;
  __syncthreads();
  out[threadIdx.x] = any;
}
__global__ void other_values_by_all(const float *in, float *out) {
  __shared__ float last;
  last = in[threadIdx.x] + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = last;
}
__global__ void own_elements_only(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = 0.0f;
  for (int i = 0; i < 32; i++) s[t] += in[i * 256 + t];
  out[t] = s[t];
}
__global__ void own_column(const float *in, float *out) {
  __shared__ float s[8][128];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) s[i][t] = in[i * 128 + t];
  float sum = 0.0f;
  for (int i = 0; i < 8; i++) sum += s[7 - i][t];
  out[t] = sum;
}
__global__ void own_column_shifted(const float *in, float *out) {
  __shared__ float s[8][128];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) s[i][t] = in[i * 128 + t];
  float sum = 0.0f;
  for (int i = 0; i < 8; i++) sum += s[7 - i][(t + 64) & 127];
  out[t] = sum;
}
__global__ void halves_apart(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < 128) s[t] = in[t];
  else s[t] = s[t - 128 + 128] + 1.0f;
  out[t] = s[t];
}
__global__ void halves_meet(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 128) out[t] = s[t] + s[t + 128];
}
__global__ void stencil_in_place(float *d) {
  __shared__ float s[258];
  int t = threadIdx.x + 1;
  s[t] = d[t];
  if (t == 1) s[0] = s[257] = 0.0f;
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    s[t] = 0.5f * (s[t - 1] + s[t + 1]);
    __syncthreads();
  }
  d[t] = s[t];
}
__global__ void stencil_through_register(float *d) {
  __shared__ float s[258];
  int t = threadIdx.x + 1;
  s[t] = d[t];
  if (t == 1) s[0] = s[257] = 0.0f;
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    float v = 0.5f * (s[t - 1] + s[t + 1]);
    __syncthreads();
    s[t] = v;
    __syncthreads();
  }
  d[t] = s[t];
}
__global__ void bitonic_sort(float *d) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned o = t ^ j;
      if (o > t) {
        if ((t & k) == 0 ? s[t] > s[o] : s[t] < s[o]) {
          float v = s[t];
          s[t] = s[o];
          s[o] = v;
        }
      }
      __syncthreads();
    }
  d[t] = s[t];
}
__global__ void bitonic_sort_without_barrier(float *d) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = d[t];
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned o = t ^ j;
      if (o > t) {
        if ((t & k) == 0 ? s[t] > s[o] : s[t] < s[o]) {
          float v = s[t];
          s[t] = s[o];
          s[o] = v;
        }
      }
    }
  __syncthreads();
  d[t] = s[t];
}
__global__ void warp_sums(const float *in, float *out) {
  __shared__ float sums[8];
  float v = in[threadIdx.x];
  for (int half = 16; half > 0; half >>= 1) v += __shfl_down_sync(0xffffffff, v, half);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 8) {
    v = sums[threadIdx.x];
    for (int half = 4; half > 0; half >>= 1) v += __shfl_down_sync(0xff, v, half);
    if (threadIdx.x == 0) out[0] = v;
  }
}
__global__ void warp_sums_without_barrier(const float *in, float *out) {
  __shared__ float sums[8];
  float v = in[threadIdx.x];
  for (int half = 16; half > 0; half >>= 1) v += __shfl_down_sync(0xffffffff, v, half);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  if (threadIdx.x < 8) {
    v = sums[threadIdx.x];
    for (int half = 4; half > 0; half >>= 1) v += __shfl_down_sync(0xff, v, half);
    if (threadIdx.x == 0) out[0] = v;
  }
}
__global__ void warp_sums_used_twice(const float *in, float *out) {
  __shared__ float sums[8];
  for (int round = 0; round < 2; round++) {
    float v = in[round * 256 + threadIdx.x];
    for (int half = 16; half > 0; half >>= 1) v += __shfl_down_sync(0xffffffff, v, half);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < 8; w++) total += sums[w];
    out[round * 256 + threadIdx.x] = total;
  }
}
__global__ void warp_exchange_plain(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[t ^ 1];
}
__global__ void warp_exchange_syncwarp(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncwarp();
  d[t] = s[t ^ 1];
}
__global__ void warp_exchange_volatile(float *d) {
  __shared__ volatile float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[t ^ 1];
}
__global__ void warp_exchange_divergent(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t & 1) s[t] = d[t] * 2.0f;
  else s[t] = d[t] + 1.0f;
  d[t] = s[t ^ 1];
}
__global__ void block_exchange_syncwarp(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncwarp();
  d[t] = s[t ^ 64];
}
__global__ void group_sync(float *d) {
  __shared__ float s[256];
  cg::thread_block block = cg::this_thread_block();
  int t = threadIdx.x;
  s[t] = d[t];
  block.sync();
  d[t] = s[255 - t];
}
__global__ void tile_group_sync(float *d) {
  __shared__ float s[256];
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  s[t] = d[t];
  tile.sync();
  d[t] = s[t ^ 16];
}
__device__ void store_tile(float *s, const float *in) { s[threadIdx.x] = in[threadIdx.x]; }
__device__ float load_mirrored(const float *s) { return s[blockDim.x - 1 - threadIdx.x]; }
__global__ void through_functions_without_barrier(const float *in, float *out) {
  __shared__ float s[256];
  store_tile(s, in);
  out[threadIdx.x] = load_mirrored(s);
}
__device__ void store_and_meet(float *s, const float *in) {
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
}
__global__ void through_functions_with_barrier(const float *in, float *out) {
  __shared__ float s[256];
  store_and_meet(s, in);
  out[threadIdx.x] = load_mirrored(s);
}
__global__ void dynamic_without_barrier(float *d, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[n - 1 - t];
}
__global__ void dynamic_parts(const float *in, float *out, int n) {
  extern __shared__ float s[];
  float *a = s, *b = s + n;
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  b[n - 1 - t] = a[t] * 2.0f;
  __syncthreads();
  out[t] = b[t];
}
__global__ void dynamic_parts_without_barrier(const float *in, float *out, int n) {
  extern __shared__ float s[];
  float *a = s, *b = s + n;
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = a[t] * 2.0f;
  out[t] = b[255 - t];
}
__global__ void barrier_in_uniform_branch_only(const float *in, float *out, int flag) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (blockDim.x < 128) __syncthreads();
  out[t] = s[255 - t];
}
__global__ void barrier_in_uniform_branch(const float *in, float *out, int flag) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (blockDim.x > 128) __syncthreads();
  out[t] = s[255 - t];
}
__global__ void bytes_of_words(const unsigned char *in, unsigned *out) {
  __shared__ unsigned char s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 64) out[t] = reinterpret_cast<unsigned *>(s)[t];
}
__global__ void bytes_of_words_without_barrier(const unsigned char *in, unsigned *out) {
  __shared__ unsigned char s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 64) out[t] = reinterpret_cast<unsigned *>(s)[t];
}
__global__ void wide_loads_without_barrier(const float4 *in, float *out) {
  __shared__ float4 s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  out[t] = reinterpret_cast<float *>(s)[t];
}
__global__ void row_per_warp(const float *in, float *out) {
  __shared__ float s[8][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[warp][lane] = in[threadIdx.x];
  __syncwarp();
  float sum = 0.0f;
  for (int i = 0; i < 32; i++) sum += s[warp][(lane + i) & 31];
  out[threadIdx.x] = sum;
}
__global__ void row_of_next_warp(const float *in, float *out) {
  __shared__ float s[8][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  s[warp][lane] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[(warp + 1) & 7][lane];
}
__global__ void grid_stride_reuse(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
  }
}
__global__ void grid_stride_reuse_with_both(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
    __syncthreads();
  }
}
__global__ void last_block(const float *in, float *out, unsigned *done) {
  __shared__ bool last;
  __shared__ float s[256];
  int t = threadIdx.x;
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  __threadfence();
  if (t == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    s[t] = out[t];
    __syncthreads();
    out[t] = s[255 - t];
  }
}
__global__ void last_block_without_barrier(const float *in, float *out, unsigned *done) {
  __shared__ bool last;
  int t = threadIdx.x;
  out[blockIdx.x * 256 + t] = in[blockIdx.x * 256 + t];
  __threadfence();
  if (t == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
  if (last) out[t] = 0.0f;
}
__global__ void max_with_index_without_barrier(const float *in, int *out) {
  __shared__ float best[128];
  __shared__ int at[128];
  int t = threadIdx.x;
  best[t] = in[t];
  at[t] = t;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half && best[t + half] > best[t]) {
      best[t] = best[t + half];
      at[t] = at[t + half];
    }
  }
  if (t == 0) out[0] = at[0];
}
__global__ void one_warp_block(float *d) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  d[t] = s[0];
}
__global__ void write_after_read(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  float v = s[(t + 32) & 255];
  s[t] = 2.0f * v;
  __syncthreads();
  out[t] = s[t];
}
__global__ void write_after_read_with_barrier(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  float v = s[(t + 32) & 255];
  __syncthreads();
  s[t] = 2.0f * v;
  __syncthreads();
  out[t] = s[t];
}

int main() {
  const int n = 1 << 16;
  float *a, *b, *c;
  int *i, *j;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMalloc(&i, n * sizeof(int));
  cudaMalloc(&j, n * sizeof(int));
  float *h = new float[n];
  int *k = new int[n];
  for (int at = 0; at < n; at++) {
    h[at] = float(at * 37 % 1001);
    k[at] = at * 37 % 11;
  }
  auto fill = [&] {
    cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(i, k, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(j, 0, n * sizeof(int));
  };
  fill();
  const dim3 square(16, 16), grid(8, 8), columns(32, 8), tiles(4, 4);
  reverse_without_barrier<<<1, 256>>>(a);
  reverse_with_barrier<<<1, 256>>>(a);
  neighbour_without_barrier<<<1, 256>>>(a, c);
  reduce_without_loop_barrier<<<4, 256>>>(a, c);
  reduce_with_loop_barrier<<<4, 256>>>(a, c);
  reduce_without_first_barrier<<<4, 256>>>(a, c);
  reduce_last_read_by_another_warp<<<1, 256>>>(a, c);
  reduce_last_read_by_first_thread<<<1, 256>>>(a, c);
  warp_tail_plain<<<1, 256>>>(a, c);
  warp_tail_volatile<<<1, 256>>>(a, c);
  warp_tail_syncwarp<<<1, 256>>>(a, c);
  warp_tail_guarded_plain<<<1, 64>>>(a, c);
  warp_tail_guarded_syncwarp<<<1, 64>>>(a, c);
  warp_tail_shuffle<<<1, 256>>>(a, c);
  tile_product<<<grid, square>>>(a, b, c, 128);
  tile_product_without_first_barrier<<<grid, square>>>(a, b, c, 128);
  tile_product_without_second_barrier<<<grid, square>>>(a, b, c, 128);
  tile_product_double_buffer<<<grid, square>>>(a, b, c, 128);
  double_buffer_without_barrier<<<1, 256>>>(a, c);
  double_buffer_one_barrier<<<1, 256>>>(a, c);
  single_buffer_one_barrier<<<1, 256>>>(a, c);
  scan_one_buffer<<<1, 256>>>(a);
  scan_two_barriers<<<1, 256>>>(a);
  scan_two_buffers<<<1, 256>>>(a);
  scan_two_buffers_without_barrier<<<1, 256>>>(a);
  blelloch_scan<<<1, 256>>>(a);
  blelloch_scan_without_barrier_up<<<1, 256>>>(a);
  halo_tile<<<16, 256>>>(a, c, 4096);
  halo_tile_without_barrier<<<16, 256>>>(a, c, 4096);
  halo_written_after_barrier<<<1, 256>>>(a, c);
  transpose<<<tiles, columns>>>(a, c, 128);
  transpose_without_barrier<<<tiles, columns>>>(a, c, 128);
  transpose_too_narrow<<<tiles, columns>>>(a, c, 128);
  histogram<<<16, 256>>>(i, j, 4096);
  histogram_without_first_barrier<<<16, 256>>>(i, j, 4096);
  counter_set_beside_atomics<<<1, 256>>>(i, j);
  counter_all_add_beside_set<<<1, 256>>>(j);
  counter_read_beside_atomics<<<1, 256>>>(j);
  counter_with_barriers<<<1, 256>>>(i, j);
  broadcast_without_barrier<<<1, 256>>>(a, c);
  broadcast_with_barrier<<<1, 256>>>(a, c);
  broadcast_in_loop_without_second_barrier<<<1, 256>>>(a, c);
  broadcast_in_loop_with_both<<<1, 256>>>(a, c);
  same_value_by_all<<<1, 256>>>(i, j);
  other_values_by_all<<<1, 256>>>(a, c);
  own_elements_only<<<1, 256>>>(a, c);
  own_column<<<1, 128>>>(a, c);
  own_column_shifted<<<1, 128>>>(a, c);
  halves_apart<<<1, 256>>>(a, c);
  halves_meet<<<1, 256>>>(a, c);
  stencil_in_place<<<1, 256>>>(a);
  stencil_through_register<<<1, 256>>>(a);
  bitonic_sort<<<1, 256>>>(a);
  bitonic_sort_without_barrier<<<1, 256>>>(a);
  warp_sums<<<1, 256>>>(a, c);
  warp_sums_without_barrier<<<1, 256>>>(a, c);
  warp_sums_used_twice<<<1, 256>>>(a, c);
  warp_exchange_plain<<<1, 256>>>(a);
  warp_exchange_syncwarp<<<1, 256>>>(a);
  warp_exchange_volatile<<<1, 256>>>(a);
  warp_exchange_divergent<<<1, 256>>>(a);
  block_exchange_syncwarp<<<1, 256>>>(a);
  group_sync<<<1, 256>>>(a);
  tile_group_sync<<<1, 256>>>(a);
  through_functions_without_barrier<<<1, 256>>>(a, c);
  through_functions_with_barrier<<<1, 256>>>(a, c);
  dynamic_without_barrier<<<1, 256, 256 * sizeof(float)>>>(a, 256);
  dynamic_parts<<<1, 256, 2 * 256 * sizeof(float)>>>(a, c, 256);
  dynamic_parts_without_barrier<<<1, 256, 2 * 256 * sizeof(float)>>>(a, c, 256);
  barrier_in_uniform_branch_only<<<1, 256>>>(a, c, 1);
  barrier_in_uniform_branch<<<1, 256>>>(a, c, 1);
  bytes_of_words<<<1, 256>>>(reinterpret_cast<unsigned char *>(a), reinterpret_cast<unsigned *>(j));
  bytes_of_words_without_barrier<<<1, 256>>>(reinterpret_cast<unsigned char *>(a), reinterpret_cast<unsigned *>(j));
  wide_loads_without_barrier<<<1, 128>>>(reinterpret_cast<float4 *>(a), a);
  row_per_warp<<<1, 256>>>(a, c);
  row_of_next_warp<<<1, 256>>>(a, c);
  grid_stride_reuse<<<4, 256>>>(a, c, 4096);
  grid_stride_reuse_with_both<<<4, 256>>>(a, c, 4096);
  last_block<<<4, 256>>>(a, c, reinterpret_cast<unsigned *>(j));
  last_block_without_barrier<<<4, 256>>>(a, c, reinterpret_cast<unsigned *>(j));
  max_with_index_without_barrier<<<1, 128>>>(a, j);
  one_warp_block<<<1, 32>>>(a);
  write_after_read<<<1, 256>>>(a, c);
  write_after_read_with_barrier<<<1, 256>>>(a, c);
  return cudaDeviceSynchronize() != cudaSuccess;
}
