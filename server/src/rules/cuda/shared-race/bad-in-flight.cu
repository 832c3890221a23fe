#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

__global__ void never_waits(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ copy-in-flight
}

__global__ void waits_too_late(const float *in, float *out) {
  __shared__ float s[2][256];
  int t = threadIdx.x;
  for (int part = 0; part < 2; part++) {
    __pipeline_memcpy_async(&s[part][t], &in[part * 256 + t], sizeof(float));
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  out[t] = s[1][t];
  //       ^^^^^^^ copy-in-flight
  __pipeline_wait_prior(0);
}

__global__ void block_never_waits(const float *in, float *out) {
  __shared__ float s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(float) * 256);
  block.sync();
  out[threadIdx.x] = s[255 - threadIdx.x];
  //                 ^^^^^^^^^^^^^^^^^^^^ copy-in-flight
}

// Blocks of three sizes, and all have a warp whose lanes do not run in step.
__global__ void tail(const float *in, float *out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t < 16) {
    volatile float *v = s;
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    //      ^^^^^^^^ unseen-write-in-warp information
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void launch(const float *a, float *b, int blocks) {
  never_waits<<<1, 256>>>(a, b);
  waits_too_late<<<1, 256>>>(a, b);
  block_never_waits<<<1, 256>>>(a, b);
  const int sizes[] = {128, 256, 512};
  for (int i = 0; i < 3; i++) tail<<<blocks, sizes[i], sizes[i] * sizeof(float)>>>(a, b);
}
