// Two arrays at once, a field of a structure, more elements than threads, fewer elements than threads.
#include <cstdio>

struct Moments { float mean; float square; };

__global__ void both(const float *in, float *mean, float *spread) {
  __shared__ float sums[128], squares[128];
  int t = threadIdx.x;
  float x = in[blockIdx.x * 128 + t];
  sums[t] = x;
  squares[t] = x * x;
  __syncthreads();
  for (int offset = 64; offset >= 1; offset >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < offset) {
      sums[t] += sums[t + offset];
      squares[t] += squares[t + offset];
    }
    __syncthreads();
  }
  if (t == 0) { mean[blockIdx.x] = sums[0]; spread[blockIdx.x] = squares[0]; }
}

__global__ void fields(const Moments *in, Moments *out) {
  __shared__ Moments cache[64];
  int t = threadIdx.x;
  cache[t] = in[t];
  __syncthreads();
  for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < s) {
      cache[t].mean = fmaxf(cache[t].mean, cache[t + s].mean);
      cache[t].square = fminf(cache[t].square, cache[t + s].square);
    }
    __syncthreads();
  }
  if (t == 0) { out->mean = cache[0].mean; out->square = cache[0].square; }
}

// Each thread brings two elements.
__global__ void twice(const long long *in, long long *out) {
  __shared__ long long row[2 * 128];
  int t = threadIdx.x;
  row[t] = in[t];
  row[t + blockDim.x] = in[t + blockDim.x];
  for (int s = blockDim.x; s > 0; s /= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    __syncthreads();
    if (t < s) row[t] = row[t] + row[t + s];
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
  for (int s = 32; s > 0; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sweep
    if (t < s) seen[t] &= seen[t + s];
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
