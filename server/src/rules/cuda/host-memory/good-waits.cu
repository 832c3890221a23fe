#include <cuda_runtime.h>
#include <cstdlib>

__global__ void twice(float *v, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= by;
}

// The host waits next, reads the result, or runs the copy once.
float needed(float *d, int n, int steps, cudaStream_t s) {
  float first, other, once;
  for (int step = 0; step < steps; step++) {
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, 2, n);
    cudaMemcpyAsync(&first, d, sizeof first, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    if (first > 1000) break;
  }
  for (int step = 0; step < steps; step++) {
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, 2, n);
    cudaMemcpyAsync(&other, d, sizeof other, cudaMemcpyDeviceToHost, s);
    if (other > 1000) break;
  }
  cudaMemcpyAsync(&once, d, sizeof once, cudaMemcpyDeviceToHost, s);
  twice<<<(n + 255) / 256, 256, 0, s>>>(d, 2, n);
  cudaStreamSynchronize(s);
  return first + other + once;
}

// A few bytes to the GPU are staged at once.
void scales(float *d, float *scale, int n, int steps, cudaStream_t s, cudaStream_t t) {
  for (int step = 0; step < steps; step++) {
    float by = 1.0f / (step + 1);
    cudaMemcpyAsync(scale, &by, sizeof by, cudaMemcpyHostToDevice, s);
    twice<<<(n + 255) / 256, 256, 0, t>>>(d, 2, n);
  }
}

// One of the calls hands over pinned memory.
void slices(float *d, float *host, int n, int steps) {
  for (int step = 0; step < steps; step++) {
    twice<<<(n + 255) / 256, 256>>>(d, 2, n);
    cudaMemcpyAsync(host + step * n, d, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaDeviceSynchronize();
}

void both(float *d, int n, int steps) {
  float *a = (float *)malloc(n * steps * sizeof(float)), *pinned;
  cudaMallocHost(&pinned, n * steps * sizeof(float));
  slices(d, a, n, steps);
  slices(d, pinned, n, steps);
  free(a);
}
