// Sums of blocks by a sweep over dynamic shared memory; the block comes at run time.
#include "timing.cuh"

__global__ void sums(const float *in, float *out, int n) {
  extern __shared__ float shared[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

int main(int argc, char **argv) {
  const int n = 1 << 26, threads = argc > 1 ? atoi(argv[1]) : 256, blocks = (n + threads - 1) / threads;
  const float *in = numbers(n);
  float *out = numbers(blocks);
  return timed([&] { sums<<<blocks, threads, threads * sizeof(float)>>>(in, out, n); }, out, blocks);
}
