// Loops that are timed, and the iterations that warm up for them.
#include <chrono>
#include <cstdio>

__global__ void work(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

void measure(float *x, int n) {
  // warm up
  for (int i = 0; i < 5; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
  }
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
  }
  auto end = std::chrono::steady_clock::now();
  printf("%lld\n", (long long)(end - start).count());
}

float withEvents(float *x, int n) {
  cudaEvent_t begin, finish;
  cudaEventCreate(&begin);
  cudaEventCreate(&finish);
  float total = 0, milliseconds;
  for (int i = 0; i < 10; i++) {
    cudaEventRecord(begin);
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaEventRecord(finish);
    cudaEventSynchronize(finish);
    cudaEventElapsedTime(&milliseconds, begin, finish);
    total += milliseconds;
  }
  return total;
}
