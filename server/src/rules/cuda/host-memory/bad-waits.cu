#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

float last(float *d, int n, int steps, cudaStream_t s) {
  float sums[4];
  for (int step = 0; step < steps; step++) {
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
    cudaMemcpyAsync(sums, d, sizeof sums, cudaMemcpyDeviceToHost, s);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waits information
  }
  cudaStreamSynchronize(s);
  return sums[0];
}

float address(float *d, int n, int steps, cudaStream_t s) {
  float first;
  for (int step = 0; step < steps; step++) {
    cudaMemcpyAsync(&first, d, sizeof first, cudaMemcpyDeviceToHost, s);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waits information
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
  }
  cudaStreamSynchronize(s);
  return first;
}

// Every call hands over pageable memory.
void slices(float *d, float *host, int n, int steps) {
  for (int step = 0; step < steps; step++) {
    twice<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpyAsync(host + step * n, d, n * sizeof(float), cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waits information
  }
  cudaDeviceSynchronize();
}

void both(float *d, int n, int steps) {
  float *a = (float *)malloc(n * steps * sizeof(float));
  std::vector<float> b(n * steps);
  slices(d, a, n, steps);
  slices(d, b.data(), n, steps);
  free(a);
}

// Beside another stream the copy back from the stack waits, too.
void beside(float *d, int n, cudaStream_t s, cudaStream_t t) {
  float first;
  twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
  cudaMemcpyAsync(&first, d, sizeof first, cudaMemcpyDeviceToHost, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ staged information
  twice<<<(n + 255) / 256, 256, 0, t>>>(d + n, n);
  cudaDeviceSynchronize();
}
