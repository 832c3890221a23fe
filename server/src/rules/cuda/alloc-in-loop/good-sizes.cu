// A benchmark over sizes: the launches of one size are a loop of their own.
#include <chrono>
#include <cstdio>

__global__ void work(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

int main() {
  for (int n = 1 << 10; n <= 1 << 20; n *= 4) {
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    cudaMemset(p, 0, n * sizeof(float));
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; i++) work<<<(n + 255) / 256, 256>>>(p, n);
    cudaDeviceSynchronize();
    auto end = std::chrono::steady_clock::now();
    printf("%d %lld\n", n, (long long)(end - start).count());
    cudaFree(p);
  }
  return 0;
}
