// What the programs here share: an array of numbers that every run sees alike, a median of times, a sum of results.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline float *numbers(size_t count) {
  std::vector<float> host(count);
  for (size_t at = 0; at < count; at++) host[at] = float((at * 2654435761u >> 7) % 2001) / 1000.0f + 0.5f;
  float *device;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

template <typename Work> int timed(Work work, const float *out, size_t count) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times(11);
  work();
  for (float &time : times) {
    cudaEventRecord(start);
    work();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&time, start, stop);
  }
  std::sort(times.begin(), times.end());
  std::vector<float> host(count);
  const cudaError_t error = cudaMemcpy(host.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (size_t at = 0; at < count; at++) sum += (host[at] < 0 ? -host[at] : host[at]) * (1 + at % 7);
  std::printf("result %.6e\ntime %.5f ms\n", sum, times[times.size() / 2]);
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
