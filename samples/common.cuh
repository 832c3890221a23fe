// What every sample shares: the error check, a timer and the verdict that ends a program.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    cudaError_t status = (call);                                                                       \
    if (status != cudaSuccess) {                                                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));             \
      std::exit(2);                                                                                    \
    }                                                                                                  \
  } while (0)

// A small whole number that depends on the index alone: sums of it are exact in float in any order.
__host__ __device__ inline int smallInteger(size_t index, int below) {
  return static_cast<int>((index * 2654435761ull >> 7) % static_cast<unsigned>(below));
}

// The median time of `work` on the GPU in milliseconds, after one run that is not counted.
template <typename Work>
float medianMilliseconds(int repetitions, Work work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  work();
  CHECK(cudaDeviceSynchronize());
  std::vector<float> times;
  for (int repetition = 0; repetition < repetitions; repetition++) {
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(milliseconds);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Prints the result and the time; the value is main's: 0 when the result is the expected one.
inline int verdict(double result, double expected, float milliseconds, double tolerance = 0) {
  const bool good = std::fabs(result - expected) <= tolerance * std::fabs(expected);
  std::printf("result %.9g\ntime %.5f ms\n", result, milliseconds);
  if (!good) std::printf("wrong: expected %.9g\n", expected);
  return good ? 0 : 1;
}
