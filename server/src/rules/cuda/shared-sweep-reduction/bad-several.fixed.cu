// Two arrays at once, a field of a structure, more elements than threads, fewer elements than threads.
#include <cstdio>

struct Moments { float mean; float square; };

__global__ void both(const float *in, float *mean, float *spread) {
  __shared__ float sums[128], squares[128];
  int t = threadIdx.x;
  float x = in[blockIdx.x * 128 + t];
  sums[t] = x;
  squares[t] = x * x;
  {
    __shared__ float warpTotalsSums[32];
    __shared__ float warpTotalsSquares[32];
    float totalSums = sums[t];
    float totalSquares = squares[t];
    for (int offset = 16; offset > 0; offset >>= 1) {
      totalSums += __shfl_down_sync(0xffffffff, totalSums, offset);
      totalSquares += __shfl_down_sync(0xffffffff, totalSquares, offset);
    }
    if (t % 32 == 0) {
      warpTotalsSums[t / 32] = totalSums;
      warpTotalsSquares[t / 32] = totalSquares;
    }
    __syncthreads();
    if (t < 32) {
      totalSums = t < blockDim.x / 32 ? warpTotalsSums[t] : 0.0f;
      totalSquares = t < blockDim.x / 32 ? warpTotalsSquares[t] : 0.0f;
      for (int offset = 16; offset > 0; offset >>= 1) {
        totalSums += __shfl_down_sync(0xffffffff, totalSums, offset);
        totalSquares += __shfl_down_sync(0xffffffff, totalSquares, offset);
      }
      if (t == 0) {
        sums[0] = totalSums;
        squares[0] = totalSquares;
      }
    }
  }
  if (t == 0) { mean[blockIdx.x] = sums[0]; spread[blockIdx.x] = squares[0]; }
}

__global__ void fields(const Moments *in, Moments *out) {
  __shared__ Moments cache[64];
  int t = threadIdx.x;
  cache[t] = in[t];
  __syncthreads();
  {
    __shared__ float warpTotalsMean[32];
    __shared__ float warpTotalsSquare[32];
    float totalMean = cache[t].mean;
    float totalSquare = cache[t].square;
    for (int offset = 16; offset > 0; offset >>= 1) {
      totalMean = fmaxf(totalMean, __shfl_down_sync(0xffffffff, totalMean, offset));
      totalSquare = fminf(totalSquare, __shfl_down_sync(0xffffffff, totalSquare, offset));
    }
    if (t % 32 == 0) {
      warpTotalsMean[t / 32] = totalMean;
      warpTotalsSquare[t / 32] = totalSquare;
    }
    __syncthreads();
    if (t < 32) {
      totalMean = t < blockDim.x / 32 ? warpTotalsMean[t] : warpTotalsMean[0];
      totalSquare = t < blockDim.x / 32 ? warpTotalsSquare[t] : warpTotalsSquare[0];
      for (int offset = 16; offset > 0; offset >>= 1) {
        totalMean = fmaxf(totalMean, __shfl_down_sync(0xffffffff, totalMean, offset));
        totalSquare = fminf(totalSquare, __shfl_down_sync(0xffffffff, totalSquare, offset));
      }
      if (t == 0) {
        cache[0].mean = totalMean;
        cache[0].square = totalSquare;
      }
    }
  }
  if (t == 0) { out->mean = cache[0].mean; out->square = cache[0].square; }
}

// Each thread brings two elements.
__global__ void twice(const long long *in, long long *out) {
  __shared__ long long row[2 * 128];
  int t = threadIdx.x;
  row[t] = in[t];
  row[t + blockDim.x] = in[t + blockDim.x];
  {
    __shared__ long long warpTotals[32];
    long long total = row[t];
    total += row[t + blockDim.x];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (t % 32 == 0) warpTotals[t / 32] = total;
    __syncthreads();
    if (t < 32) {
      total = t < blockDim.x / 32 ? warpTotals[t] : 0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (t == 0) row[0] = total;
    }
  }
  __syncthreads();
  if (t == 0) *out = row[0];
}

// Only the first 64 threads have an element.
__global__ void fewer(const unsigned char *in, unsigned int *out) {
  __shared__ unsigned int seen[64];
  int total = 7, t = threadIdx.x;
  if (t < 64) seen[t] = in[t];
  __syncthreads();
  {
    __shared__ unsigned int warpTotals[32];
    unsigned int total2 = t < 64 ? seen[t] : seen[0];
    for (int offset = 16; offset > 0; offset >>= 1) total2 &= __shfl_down_sync(0xffffffff, total2, offset);
    if (t % 32 == 0) warpTotals[t / 32] = total2;
    __syncthreads();
    if (t < 32) {
      total2 = t < blockDim.x / 32 ? warpTotals[t] : warpTotals[0];
      for (int offset = 16; offset > 0; offset >>= 1) total2 &= __shfl_down_sync(0xffffffff, total2, offset);
      if (t == 0) seen[0] = total2;
    }
    __syncthreads();
  }
  if (t == total) *out = seen[0];
}

int main() {
  float *in, *mean, *spread;
  Moments *moments;
  long long *wide;
  unsigned char *bytes;
  unsigned int *mask;
  cudaMallocManaged(&in, 256 * sizeof(float));
  cudaMallocManaged(&mean, 2 * sizeof(float));
  cudaMallocManaged(&spread, 2 * sizeof(float));
  cudaMallocManaged(&moments, 65 * sizeof(Moments));
  cudaMallocManaged(&wide, 257 * sizeof(long long));
  cudaMallocManaged(&bytes, 64);
  cudaMallocManaged(&mask, sizeof(unsigned int));
  for (int i = 0; i < 256; i++) in[i] = i % 13, wide[i] = (long long)i << 33;
  for (int i = 0; i < 64; i++) moments[i] = {(float)((i * 29) % 64), (float)((i * 23) % 64 + 1)}, bytes[i] = 0x40 | (i * 5);
  both<<<2, 128>>>(in, mean, spread);
  fields<<<1, 64>>>(moments, moments + 64);
  twice<<<1, 128>>>(wide, wide + 256);
  fewer<<<1, 256>>>(bytes, mask);
  cudaDeviceSynchronize();
  printf("%.1f %.1f %.1f %.1f %.1f %.1f %lld %u\n", mean[0], mean[1], spread[0], spread[1], moments[64].mean, moments[64].square, wide[256], *mask);
  return 0;
}
