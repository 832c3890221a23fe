// The place that a block-wide scan gives a thread is the thread's own: the first threads of the block never arrive.
#include <cub/cub.cuh>

__global__ void lateOnes(const float *in, float *out) {
  int valid = in[blockIdx.x * 256 + threadIdx.x] > 0.0f;
  int place;
  int total;
  cub::BlockScan<int, 256>().ExclusiveSum(valid, place, total);
  if (place > 64) {
    __syncthreads();
//  ^^^^^^^^^^^^^^^ in-last-guard hint
    out[blockIdx.x * 256 + place] = in[blockIdx.x * 256 + threadIdx.x] + total;
  }
}

void launch(const float *in, float *out) { lateOnes<<<1024, 256>>>(in, out); }
