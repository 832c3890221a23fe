// What a fix of one double constant gains while another is left in the expression: `0.5 * x + 0.3` over floats.
#include <algorithm>
#include <cstdio>
#include <vector>

template <int form>
__global__ void iterate(float *data, int iterations) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  float x = data[i];
  for (int step = 0; step < iterations; step++) {
    if (form == 0) x = 0.7 * x + 0.3;
    if (form == 1) x = 0.7f * x + 0.3;
    if (form == 2) x = 0.7 * x + 0.3f;
    if (form == 3) x = 0.7f * x + 0.3f;
  }
  data[i] = x;
}

template <int form>
static float median(float *data) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int run = 0; run < 13; run++) {
    cudaEventRecord(begin);
    iterate<form><<<8192, 256>>>(data, 1000);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float time;
    cudaEventElapsedTime(&time, begin, end);
    if (run > 1) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main() {
  float *data;
  if (cudaMalloc(&data, size_t{8192} * 256 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(data, 0, size_t{8192} * 256 * sizeof(float));
  std::printf("form,ms\nboth double,%.3f\nfirst as float,%.3f\nsecond as float,%.3f\nboth as float,%.3f\n", median<0>(data),
              median<1>(data), median<2>(data), median<3>(data));
}
