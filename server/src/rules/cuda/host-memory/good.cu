#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

void fillAndPin(float *v, int n);
template <typename T> struct Pinned;

// Pinned, of the caller, handed to a function that is not seen, or of an allocator that is not known.
void several(float *d, float *given, int n, cudaStream_t s, cudaStream_t t) {
  float *pinned, *seen = new float[n];
  cudaMallocHost(&pinned, n * sizeof(float));
  fillAndPin(seen, n);
  std::vector<float, Pinned<float>> held(n);
  cudaMemcpyAsync(d, pinned, n * sizeof(float), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(d, given, n * sizeof(float), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(d, seen, n * sizeof(float), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(d, held.data(), n * sizeof(float), cudaMemcpyHostToDevice, s);
  twice<<<(n + 255) / 256, 256, 0, t>>>(d + n, n);
  cudaDeviceSynchronize();
}

// Nothing to overlap with: one stream, the default one, or a wait between them.
void alone(float *d, int n, cudaStream_t s, cudaStream_t t) {
  float *a = new float[n];
  cudaMemcpyAsync(d, a, n * sizeof(float), cudaMemcpyHostToDevice, s);
  twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
  cudaStreamSynchronize(s);
  twice<<<(n + 255) / 256, 256, 0, t>>>(d, n);
  cudaStreamSynchronize(t);
  cudaMemcpyAsync(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<(n + 255) / 256, 256>>>(d, n);
  delete[] a;
}
