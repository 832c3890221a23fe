#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>

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

// So few bytes from the heap are staged at once, and a loop with a clock in it is an experiment.
void scales(float *d, float *scale, int n, int steps, cudaStream_t s) {
  float *by = (float *)malloc(256 * sizeof(float)), *all = (float *)malloc(n * sizeof(float));
  for (int step = 0; step < steps; step++) {
    cudaMemcpyAsync(scale, by, 256 * sizeof(float), cudaMemcpyHostToDevice, s);
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, 2, n);
  }
  for (int step = 0; step < steps; step++) {
    cudaMemcpyAsync(d, all, n * sizeof(float), cudaMemcpyHostToDevice, s);
    clock_t start = clock();
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, 2, n);
    printf("%ld\n", (long)(clock() - start));
  }
  free(by);
  free(all);
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
