// A loop that ends inside a block, and the barrier of a cooperative group under a guard.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void turns(const float *in, float *out, int n) {
  __shared__ float staged[256];
  for (int i = threadIdx.x; i < n; i += 256) {
    staged[threadIdx.x] = in[i];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ block-barrier-possible hint
    out[i] = staged[255 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void guarded(const float *in, float *out, int width) {
  __shared__ float staged[256];
  cg::thread_block block = cg::this_thread_block();
  const int x = blockIdx.x * 256 + threadIdx.x;
  if (x < width) {
    staged[threadIdx.x] = in[x];
    cg::sync(block);
//  ^^^^^^^^^^^^^^^ in-last-guard hint
    out[x] = staged[255 - threadIdx.x];
  }
}

void launch(const float *in, float *out, int n) {
  turns<<<1000, 256>>>(in, out, n);
  guarded<<<1000, 256>>>(in, out, n);
}
