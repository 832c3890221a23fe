// What the measurements of constants share: the least time of some runs, the clock, a line for a figure.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void ticks(long long *out) {
  const long long start = clock64();
  while (clock64() - start < 20000000) {
  }
  *out = clock64() - start;
}
__global__ void empty() {}

template <typename F> double ms(F &&run, int times = 7) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float best = 1e30f;
  for (int i = 0; i <= times; i++) {
    cudaEventRecord(start);
    run();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float one;
    cudaEventElapsedTime(&one, start, stop);
    if (i > 0) best = std::min(best, one);
  }
  return best;
}

/** Clock of the multiprocessors while a kernel spins on one; `cycles` is a place on the GPU. */
inline double gigahertz(long long *cycles) {
  const double spun = ms([&] { ticks<<<1, 1>>>(cycles); });
  long long ticked;
  cudaMemcpy(&ticked, cycles, 8, cudaMemcpyDeviceToHost);
  return ticked / spun / 1e6;
}
inline void say(const char *name, double value, const char *unit) { printf("%-52s %12.4f %s\n", name, value, unit); }
