// Divisions by a value that the whole launch shares, and arrays of a thread in local memory, each beside its cure.
//
// nvcc -O3 -arch=sm_90 lab/programs/divisions.cu -o divisions && ./divisions
//
// Prints a line for each pair: its name, microseconds as written and with the cure (median of 21 launches).
#include <algorithm>
#include <cstdio>
#include <vector>

const int threads = 256;

__global__ void densityDivided(const float *x, float *out, float mean, float sigma, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < terms; k++) sum += (x[i] + k - mean) / sigma;
  out[i] = sum;
}
__global__ void densityMultiplied(const float *x, float *out, float mean, float sigma, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f, inverse = 1.0f / sigma;
  for (int k = 0; k < terms; k++) sum += (x[i] + k - mean) * inverse;
  out[i] = sum;
}

__global__ void placesDivided(const int *in, int *out, int width, int height, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < steps; k++) {
    int at = i + k * n;
    sum += at % width + at / width % height;
  }
  if (i < n) out[i] = sum + in[i];
}
struct Divisor {
  unsigned value, multiplier, shift;
  __device__ int quotient(int n) const { return __umulhi(n, multiplier) >> shift; }
};
__global__ void placesMultiplied(const int *in, int *out, Divisor width, Divisor height, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < steps; k++) {
    int at = i + k * n;
    int row = width.quotient(at);
    sum += at - row * (int)width.value + row - height.quotient(row) * (int)height.value;
  }
  if (i < n) out[i] = sum + in[i];
}

__global__ void wideRemainder(const long long *in, long long *out, long long size, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long sum = 0;
  for (int k = 0; k < steps; k++) sum += ((long long)i * 7 + k) % size;
  if (i < n) out[i] = sum + in[i];
}
__global__ void narrowRemainder(const long long *in, long long *out, int size, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long sum = 0;
  for (int k = 0; k < steps; k++) sum += (i * 7 + k) % size;
  if (i < n) out[i] = sum + in[i];
}

const int bins = 64;
__global__ void binsLocal(const unsigned char *x, int *out, int n, int each) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int counts[bins] = {};
  for (int k = 0; k < each; k++) counts[x[i + k * n] % bins]++;
  int most = 0;
  for (int b = 0; b < bins; b++) most = max(most, counts[b]);
  out[i] = most;
}
__global__ void binsShared(const unsigned char *x, int *out, int n, int each) {
  __shared__ unsigned char counts[bins][threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int b = 0; b < bins; b++) counts[b][threadIdx.x] = 0;
  for (int k = 0; k < each; k++) counts[x[i + k * n] % bins][threadIdx.x]++;
  int most = 0;
  for (int b = 0; b < bins; b++) most = max(most, (int)counts[b][threadIdx.x]);
  out[i] = most;
}

__global__ void tableLocal(const int *in, double *out, int n) {
  const double weights[8] = {0.1, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.95};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weights[in[i] & 7];
}
__global__ void tableStatic(const int *in, double *out, int n) {
  static const double weights[8] = {0.1, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.95};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weights[in[i] & 7];
}

__global__ void windowLocal(const float *in, float *out, int n, int length) {
  float held[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < length; k++) held[k] = in[(i + k * threads) % n];
  float most = held[0];
  for (int k = 1; k < length; k++) most = fmaxf(most, held[k] * held[length - k]);
  out[i] = most;
}
__global__ void windowUnrolled(const float *in, float *out, int n, int) {
  float held[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 32; k++) held[k] = in[(i + k * threads) % n];
  float most = held[0];
#pragma unroll
  for (int k = 1; k < 32; k++) most = fmaxf(most, held[k] * held[32 - k]);
  out[i] = most;
}

template <typename Launch> float median(Launch launch) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times;
  for (int run = 0; run < 22; run++) {
    cudaEventRecord(start);
    launch();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, start, stop);
    if (run > 0) times.push_back(1000 * milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename Before, typename After> void pair(const char *name, Before before, After after) {
  float now = median(before), then = median(after);
  std::printf("%s: %.1f -> %.1f us, %.2fx (%s)\n", name, now, then, now / then, cudaGetErrorString(cudaGetLastError()));
}

Divisor divisorOf(unsigned value) {
  unsigned shift = 0;
  while ((1u << shift) < value) shift++;
  return {value, (unsigned)(((1ull << (31 + shift)) + value - 1) / value), shift - 1};
}

int main() {
  const int n = 1 << 22, blocks = n / threads;
  void *in, *out;
  cudaMalloc(&in, 64ull * n);
  cudaMalloc(&out, 64ull * n);
  cudaMemset(in, 0x35, 64ull * n);
  for (int terms : {1, 8, 64}) {
    std::printf("terms %d, ", terms);
    pair(
        "density", [&] { densityDivided<<<blocks, threads>>>((float *)in, (float *)out, 0.5f, 3.0f, n, terms); },
        [&] { densityMultiplied<<<blocks, threads>>>((float *)in, (float *)out, 0.5f, 3.0f, n, terms); });
  }
  for (int steps : {1, 8, 64}) {
    std::printf("steps %d, ", steps);
    pair(
        "places", [&] { placesDivided<<<blocks, threads>>>((int *)in, (int *)out, 123, 77, n, steps); },
        [&] { placesMultiplied<<<blocks, threads>>>((int *)in, (int *)out, divisorOf(123), divisorOf(77), n, steps); });
    std::printf("steps %d, ", steps);
    pair(
        "remainder", [&] { wideRemainder<<<blocks, threads>>>((long long *)in, (long long *)out, 1000, n, steps); },
        [&] { narrowRemainder<<<blocks, threads>>>((long long *)in, (long long *)out, 1000, n, steps); });
  }
  pair(
      "bins", [&] { binsLocal<<<blocks, threads>>>((unsigned char *)in, (int *)out, n, 64); },
      [&] { binsShared<<<blocks, threads>>>((unsigned char *)in, (int *)out, n, 64); });
  pair(
      "table", [&] { tableLocal<<<blocks, threads>>>((int *)in, (double *)out, n); },
      [&] { tableStatic<<<blocks, threads>>>((int *)in, (double *)out, n); });
  pair(
      "window", [&] { windowLocal<<<blocks, threads>>>((float *)in, (float *)out, n, 32); },
      [&] { windowUnrolled<<<blocks, threads>>>((float *)in, (float *)out, n, 32); });
}
