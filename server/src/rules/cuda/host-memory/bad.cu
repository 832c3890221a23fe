#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

void fill(float *v, int n) {
  for (int i = 0; i < n; i++) v[i] = i;
}

void both(float *d, int n, cudaStream_t s, cudaStream_t t) {
  float *a = (float *)malloc(n * sizeof(float));
  float *b = new float[n];
  fill(a, n);
  fill(b, n);
  cudaMemcpyAsync(d, a, n * sizeof(float), cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ staged information
  twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
  cudaMemcpyAsync(d + n, &b[0], n * sizeof(float), cudaMemcpyHostToDevice, t);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ staged information
  twice<<<(n + 255) / 256, 256, 0, t>>>(d + n, n);
  cudaDeviceSynchronize();
  free(a);
  delete[] b;
}

void parts(float *d, int n, int count, cudaStream_t *streams) {
  std::vector<float> host(n * count);
  for (int i = 0; i < count; i++) {
    twice<<<(n + 255) / 256, 256, 0, streams[i]>>>(d + i * n, n);
    cudaMemcpyAsync(host.data() + i * n, d + i * n, n * sizeof(float), cudaMemcpyDeviceToHost, streams[i]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ staged information
  }
  cudaDeviceSynchronize();
}
