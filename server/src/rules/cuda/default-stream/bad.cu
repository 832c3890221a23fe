#include <cuda_runtime.h>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

void launched(float *v, int n, cudaStream_t stream) {
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  twice<<<(n + 255) / 256, 256>>>(v, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ amid information
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
}

void copied(float *v, float *host, int n, cudaStream_t stream) {
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  cudaMemcpy(host, v, n * sizeof(float), cudaMemcpyDeviceToHost);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ amid information
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
}

static void launchTwice(float *v, int n) {
  twice<<<(n + 255) / 256, 256>>>(v, n);
}

// The function that is called launches in the default stream; the work that it meets comes later.
void through(float *v, float *host, int n, cudaStream_t stream) {
  cudaMemcpyAsync(host, host, 0, cudaMemcpyDefault, stream);
  launchTwice(v, n);
//^^^^^^^^^^^^^^^^^ amid information
  cudaMemcpyAsync(host, v, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
}
