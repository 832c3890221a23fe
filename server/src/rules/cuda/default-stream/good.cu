#include <cuda_runtime.h>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

// The host waits between the two, or the copy is done when the next kernel is queued.
void waits(float *v, float *host, int n, cudaStream_t stream) {
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, v, n * sizeof(float), cudaMemcpyDeviceToHost);
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
}

// One of the two runs.
void branches(float *v, int n, cudaStream_t stream, bool isLast) {
  if (stream) twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  else twice<<<(n + 255) / 256, 256>>>(v, n);
  if (isLast && stream) twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
}

void otherData(float *v, float *other, int n, cudaStream_t stream) {
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  twice<<<(n + 255) / 256, 256>>>(other, n);
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
}

void awaitWork(cudaStream_t stream);

// A function that is not seen may wait for the stream; the default stream may be a barrier between two.
void unseen(float *v, int n, cudaStream_t stream) {
  twice<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  awaitWork(stream);
  twice<<<(n + 255) / 256, 256>>>(v, n);
  awaitWork(stream);
  cudaDeviceSynchronize();
}

void several(float *v, int n, cudaStream_t one, cudaStream_t other) {
  twice<<<(n + 255) / 256, 256, 0, one>>>(v, n);
  twice<<<(n + 255) / 256, 256>>>(v, n);
  twice<<<(n + 255) / 256, 256, 0, other>>>(v, n);
}
