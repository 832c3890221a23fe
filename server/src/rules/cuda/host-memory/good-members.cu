#include <cuda_runtime.h>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

// Pinned memory in a member, and memory of either kind.
struct Pinned {
  explicit Pinned(int n) { cudaMallocHost(&host, n * sizeof(float)); }
  void upload(float *d, int n, cudaStream_t s) {
    cudaMemcpyAsync(d, host, n * sizeof(float), cudaMemcpyHostToDevice, s);
  }
  float *host;
};

struct Either {
  Either(float *given, int n) : host(given ? given : new float[n]) {}
  void upload(float *d, int n, cudaStream_t s) {
    cudaMemcpyAsync(d, host, n * sizeof(float), cudaMemcpyHostToDevice, s);
  }
  float *host;
};

void both(Pinned &a, Either &b, float *d, int n, cudaStream_t s, cudaStream_t t) {
  a.upload(d, n, s);
  b.upload(d + n, n, t);
  twice<<<(n + 255) / 256, 256, 0, t>>>(d, n);
  twice<<<(n + 255) / 256, 256, 0, s>>>(d + n, n);
  cudaDeviceSynchronize();
}
