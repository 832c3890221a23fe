// Copies, kernels and copies back on four streams, of pageable memory and of pinned, by the bytes of a copy; managed
// memory that the host wrote, with a prefetch and without.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void work(float *v, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = v[i];
  for (int r = 0; r < rounds; r++) x = x * 0.999f + 1.0f;
  v[i] = x;
}

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void managed() {
  cudaMemLocation gpu{cudaMemLocationTypeDevice, 0};
  for (size_t bytes = 1 << 16; bytes <= 1 << 28; bytes <<= 2) {
    int n = bytes / sizeof(float);
    double best[2] = {1e9, 1e9};
    for (int run = 0; run < 10; run++) {
      float *x;
      cudaMallocManaged(&x, bytes);
      for (int i = 0; i < n; i++) x[i] = i;
      auto begin = std::chrono::steady_clock::now();
      if (run % 2) cudaMemPrefetchAsync(x, bytes, gpu, 0, 0);
      work<<<(n + 255) / 256, 256>>>(x, n, 1);
      cudaDeviceSynchronize();
      best[run % 2] = std::min(best[run % 2], since(begin));
      cudaFree(x);
    }
    printf("%zu KiB: %.3f ms faults, %.3f ms prefetched\n", bytes >> 10, best[0], best[1]);
  }
}

int main() {
  managed();
  const int parts = 4;
  cudaStream_t streams[parts];
  for (auto &stream : streams) cudaStreamCreate(&stream);
  for (size_t bytes = 1 << 14; bytes <= 1 << 26; bytes <<= 2) {
    int n = bytes / sizeof(float);
    float *device, *pageable = (float *)malloc(parts * bytes), *pinned;
    cudaMalloc(&device, parts * bytes);
    cudaMallocHost(&pinned, parts * bytes);
    for (int i = 0; i < parts * n; i++) pageable[i] = pinned[i] = i;
    double best[2] = {1e9, 1e9};
    for (int run = 0; run < 20; run++) {
      float *host = run % 2 ? pinned : pageable;
      auto begin = std::chrono::steady_clock::now();
      for (int p = 0; p < parts; p++) {
        cudaMemcpyAsync(device + p * n, host + p * n, bytes, cudaMemcpyHostToDevice, streams[p]);
        work<<<(n + 255) / 256, 256, 0, streams[p]>>>(device + p * n, n, 1000);
        cudaMemcpyAsync(host + p * n, device + p * n, bytes, cudaMemcpyDeviceToHost, streams[p]);
      }
      cudaDeviceSynchronize();
      best[run % 2] = std::min(best[run % 2], since(begin));
    }
    printf("%zu KiB: %.3f ms pageable, %.3f ms pinned, %.2f times\n", bytes >> 10, best[0], best[1], best[0] / best[1]);
    cudaFree(device), cudaFreeHost(pinned), free(pageable);
  }
}
