// Streams, events and pinned memory made on each iteration.
#include <cstring>

__global__ void touch(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}

void eachTurn(int *device, const int *source, int n, int turns) {
  const int bytes = n * 4;
  int done = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *pinned;
  cudaMallocHost(&pinned, bytes);
  do {
    memcpy(pinned, source + done, bytes);
    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream);
    touch<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    cudaStreamSynchronize(stream);
  } while (++done < turns);
  cudaFreeHost(pinned);
  cudaStreamDestroy(stream);
}
