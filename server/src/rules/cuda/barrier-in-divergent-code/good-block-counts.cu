// What a block-wide algorithm of a library counts for all threads is one number, and so is what they sum of it.
#include <cub/cub.cuh>

__global__ void keepSome(const float *in, float *out, int n) {
  __shared__ float kept[1024];
  int count = 0;
  for (int first = 0; first < n; first += 256) {
    int valid = first + threadIdx.x < n && in[first + threadIdx.x] > 0.0f;
    int place = 0;
    int total;
    cub::BlockScan<int, 256>().ExclusiveSum(valid, place, total);
    if (total + count > 1024) {
      for (int i = threadIdx.x; i < count; i += 256) out[i] = kept[i];
      count = 0;
      __syncthreads();
    }
    if (valid) kept[place + count] = in[first + threadIdx.x];
    count += total;
  }
  if (count > 0) {
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += 256) out[i] = kept[i];
  }
}

void launch(const float *in, float *out, int n) { keepSome<<<1, 256>>>(in, out, n); }
