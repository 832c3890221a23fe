// Sums per block, halving the distance, with a main that says what comes out.
#include <cstdio>

#define THREADS 256

__global__ void blockSums(const float *in, float *sums, int n) {
  __shared__ float partial[THREADS];
  int tid = threadIdx.x;
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) own += in[i];
  partial[tid] = own;
  {
    __shared__ float warpTotals[32];
    float total = partial[tid];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (tid % 32 == 0) warpTotals[tid / 32] = total;
    __syncthreads();
    if (tid < 32) {
      total = tid < blockDim.x / 32 ? warpTotals[tid] : 0.0f;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (tid == 0) partial[0] = total;
    }
  }
  if (tid == 0) sums[blockIdx.x] = partial[0];
}

__global__ void largest(const int *in, int *out, int n) {
  __shared__ int best[THREADS];
  best[threadIdx.x] = in[threadIdx.x];
  for (int i = threadIdx.x; i < n; i += THREADS)
    if (in[i] > best[threadIdx.x]) best[threadIdx.x] = in[i];
  __syncthreads();
  {
    __shared__ int warpTotals[32];
    int total2 = best[threadIdx.x];
    // keep the larger one
    for (int offset = 16; offset > 0; offset >>= 1) total2 = max(total2, __shfl_down_sync(0xffffffff, total2, offset));
    if (threadIdx.x % 32 == 0) warpTotals[threadIdx.x / 32] = total2;
    __syncthreads();
    if (threadIdx.x < 32) {
      total2 = threadIdx.x < blockDim.x / 32 ? warpTotals[threadIdx.x] : warpTotals[0];
      for (int offset = 16; offset > 0; offset >>= 1) total2 = max(total2, __shfl_down_sync(0xffffffff, total2, offset));
      if (threadIdx.x == 0) best[0] = total2;
    }
    __syncthreads();
  }
  // Every thread sees the total.
  out[threadIdx.x] = in[threadIdx.x] - best[0];
}

int main() {
  const int n = 10000, blocks = 8;
  float *in, *sums;
  int *values, *rest;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&sums, blocks * sizeof(float));
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&rest, THREADS * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = i % 17, values[i] = (i * 7919) % 10007;
  blockSums<<<blocks, THREADS>>>(in, sums, n);
  largest<<<1, THREADS>>>(values, rest, n);
  cudaDeviceSynchronize();
  double total = 0;
  for (int b = 0; b < blocks; b++) total += sums[b];
  long check = 0;
  for (int t = 0; t < THREADS; t++) check += (long)rest[t] * (t + 1);
  printf("%.1f %ld\n", total, check);
  return 0;
}
