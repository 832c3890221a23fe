#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__global__ void sum_of_rows(const float *in, float *out, int rows) {
  __shared__ float sums[8];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int row = 0; row < rows; row++) {
    float sum = cg::reduce(warp, in[row * 256 + threadIdx.x], cg::plus<float>{});
    if (warp.thread_rank() == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0.0f;
      for (int i = 0; i < 8; i++) total += sums[i];
      out[row] = total;
    }
    __syncthreads();
  }
}

// The lanes of a tile meet in what the tile does together.
__global__ void in_the_warp(const float *in, float *out) {
  __shared__ float s[256];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  s[threadIdx.x] = in[threadIdx.x];
  float sum = cg::reduce(warp, in[threadIdx.x], cg::plus<float>{});
  out[threadIdx.x] = sum + s[threadIdx.x ^ 1];
}

__global__ void storage_of_each(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage one, other;
  float first = Reduce(one).Sum(in[threadIdx.x]);
  float second = Reduce(other).Sum(in[threadIdx.x + 256]);
  __syncthreads();
  float third = Reduce(one).Sum(in[threadIdx.x + 512]);
  if (threadIdx.x == 0) out[0] = first + second + third;
}

// The block meets in the sum, between the write and the read.
__global__ void meets_in_the_sum(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  float sum = Reduce(storage).Sum(in[threadIdx.x]);
  out[threadIdx.x] = sum + s[255 - threadIdx.x];
}

__global__ void one_warp(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, 32>;
  __shared__ typename Reduce::TempStorage storage;
  float first = Reduce(storage).Sum(in[threadIdx.x]);
  float second = Reduce(storage).Sum(in[threadIdx.x + 32]);
  if (threadIdx.x == 0) out[0] = first + second;
}

// A function of the program that is not in sight may have the block wait.
__device__ float sum_of_block(float value);
__global__ void out_of_sight(const float *in, float *out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  float sum = sum_of_block(in[threadIdx.x]);
  out[threadIdx.x] = sum + s[255 - threadIdx.x];
}

__global__ void waits(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[256 + t] = s[t];
  __syncthreads();
  out[t] = s[255 - t];
}

__global__ void waits_for_the_first(const float *in, float *out) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  for (int part = 0; part < 2; part++) {
    __pipeline_memcpy_async(&s[part][t], &in[part * 256 + t], sizeof(float));
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  __syncthreads();
  out[t] = s[0][255 - t];
  __pipeline_wait_prior(0);
  __syncthreads();
  out[256 + t] = s[1][255 - t];
}

// One part is copied while the other is read.
__global__ void two_parts(const float *in, float *out) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  float sum = 0.0f;
  __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int part = 0; part < 64; part++) {
    __pipeline_memcpy_async(&s[(part + 1) & 1][t], &in[(part + 1) * 256 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[part & 1][255 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void block_waits(const float *in, float *out) {
  __shared__ float s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(float) * 256);
  cg::wait(block);
  out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void parts_apart(const float *in, float *out) {
  extern __shared__ unsigned char bytes[];
  float *a = reinterpret_cast<float *>(bytes);
  int *b = reinterpret_cast<int *>(bytes + 256 * sizeof(float));
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = t;
  __syncthreads();
  out[t] = a[255 - t] + b[255 - t];
}

// The grid is as large as the data or the GPU allow: of a second iteration nothing is known.
__global__ void over_the_data(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int base = blockIdx.x * 256;
  while (base < n) {
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
    base += gridDim.x * 256;
  }
}

void launch(const float *a, float *b, int rows, int most) {
  sum_of_rows<<<1, 256>>>(a, b, rows);
  in_the_warp<<<1, 256>>>(a, b);
  storage_of_each<<<1, 256>>>(a, b);
  meets_in_the_sum<<<1, 256>>>(a, b);
  one_warp<<<1, 32>>>(a, b);
  out_of_sight<<<1, 256>>>(a, b);
  waits<<<1, 256>>>(a, b);
  waits_for_the_first<<<1, 256>>>(a, b);
  two_parts<<<1, 256>>>(a, b);
  block_waits<<<1, 256>>>(a, b);
  const int n = 1 << 20;
  over_the_data<<<most < n / 256 ? most : n / 256, 256>>>(a, b, n);
  parts_apart<<<1, 256, 2048>>>(a, b);
}
