// Which strides cost nothing because the same thread's neighbouring accesses use the rest of each sector: the same
// bytes moved by lanes that are N elements apart (each thread takes N neighbours, one after the other) and by lanes side
// by side. Prints one line a case: bytes of an element, N, loads or stores, other traffic between two of them in bytes a
// thread, threads a multiprocessor, and time over that of the coalesced form (median of 11).
//
// nvcc -O3 -std=c++17 -arch=sm_90 -o filledStrides filledStrides.cu && ./filledStrides
#include <algorithm>
#include <cstdio>
#include <cstdint>
#include <vector>

constexpr int threads = 256;

template <typename T, int N, bool Store, bool Filled, int Gap>
__global__ void move(T *data, float *sums, const float4 *other, size_t groups, size_t others) {
  extern __shared__ char ballast[];
  size_t warp = (blockIdx.x * (size_t)threads + threadIdx.x) / 32, warps = gridDim.x * (size_t)threads / 32;
  int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (size_t group = warp; group < groups; group += warps) {
    T *own = data + group * 32 * N;
#pragma unroll
    for (int k = 0; k < N; k++) {
      T *place = Filled ? own + lane * N + k : own + k * 32 + lane;
      if (Store) *place = (T)(k + lane);
      else sum += (float)*place;
      if (Gap > 0) {
#pragma unroll
        for (int g = 0; g < Gap; g++) {
          float4 far = __ldg(other + (group * (N * Gap * 32) + (k * Gap + g) * 32 + lane) % others);
          sum += far.x * far.y + far.z * far.w;
        }
      }
    }
  }
  if (sum == 12345.678f) sums[threadIdx.x] = sum + ballast[0];
}

template <typename T, int N, bool Store, bool Filled, int Gap>
float timed(void *data, float *sums, float4 *other, size_t bytes, size_t others, int blocks, int shared) {
  cudaFuncSetAttribute(move<T, N, Store, Filled, Gap>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times;
  for (int run = 0; run < 13; run++) {
    cudaEventRecord(start);
    move<T, N, Store, Filled, Gap>
        <<<blocks, threads, shared>>>((T *)data, sums, other, bytes / sizeof(T) / N / 32, others);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float time;
    cudaEventElapsedTime(&time, start, stop);
    if (run >= 2) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename T, int N, bool Store, int Gap>
void compare(void *data, float *sums, float4 *other, size_t bytes, size_t others, int residents) {
  int shared = residents == 8 ? 0 : 220 * 1024 / residents;
  int blocks = 132 * residents;
  float strided = timed<T, N, Store, true, Gap>(data, sums, other, bytes, others, blocks, shared);
  float coalesced = timed<T, N, Store, false, Gap>(data, sums, other, bytes, others, blocks, shared);
  printf("%zu bytes, %2d apart, %s, %4d between, %4d threads: %.2f\n", sizeof(T), N, Store ? "stores" : "loads ",
         Gap * 16, residents * threads, strided / coalesced);
}

template <typename T, int N>
void compareAll(void *data, float *sums, float4 *other, size_t bytes, size_t others) {
  for (int residents : {8, 2}) {
    compare<T, N, false, 0>(data, sums, other, bytes, others, residents);
    compare<T, N, true, 0>(data, sums, other, bytes, others, residents);
  }
  compare<T, N, false, 1>(data, sums, other, bytes, others, 8);
  compare<T, N, false, 4>(data, sums, other, bytes, others, 8);
}

int main() {
  size_t bytes = size_t(1) << 30, others = size_t(1) << 26;
  void *data;
  float4 *other;
  float *sums;
  cudaMalloc(&data, bytes);
  cudaMalloc(&other, others * sizeof(float4));
  cudaMalloc(&sums, threads * sizeof(float));
  cudaMemset(data, 0, bytes);
  cudaMemset(other, 0, others * sizeof(float4));
  compareAll<uint8_t, 4>(data, sums, other, bytes, others);
  compareAll<uint8_t, 16>(data, sums, other, bytes, others);
  compareAll<uint16_t, 4>(data, sums, other, bytes, others);
  compareAll<float, 2>(data, sums, other, bytes, others);
  compareAll<float, 4>(data, sums, other, bytes, others);
  compareAll<float, 8>(data, sums, other, bytes, others);
  compareAll<float, 16>(data, sums, other, bytes, others);
  compareAll<float, 32>(data, sums, other, bytes, others);
  compareAll<double, 2>(data, sums, other, bytes, others);
  compareAll<double, 4>(data, sums, other, bytes, others);
  compareAll<double, 16>(data, sums, other, bytes, others);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
