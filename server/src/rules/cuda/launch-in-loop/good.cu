// Loops of launches that a graph does not serve, or whose kernels hide their launches.
#include <utility>

__global__ void relax(const float *before, float *after, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) after[i] = 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

__global__ void shift(float *values, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += by;
}

__global__ void iterate(float *values, int n, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < times; k++) values[i] = values[i] * values[i] + 0.25f;
}

// One launch an iteration, and arguments that change.
void one(float *even, float *odd, int rounds, cudaStream_t stream) {
  for (int round = 0; round < rounds; round++) relax<<<64, 256, 0, stream>>>(even, odd, 16384);
  for (int round = 0; round < rounds; round++) {
    shift<<<64, 256, 0, stream>>>(even, round, 16384);
    relax<<<64, 256, 0, stream>>>(even, odd, 16384);
  }
  for (int round = 0; round < rounds; round++) {
    relax<<<64, 256, 0, stream>>>(even, odd, 16384);
    relax<<<64, 256, 0, stream>>>(odd, even, 16384);
    std::swap(even, odd);
  }
}

// Kernels with work of their own, and few iterations.
void longer(float *even, float *odd, int rounds, cudaStream_t stream) {
  for (int round = 0; round < rounds; round++) {
    iterate<<<64, 256, 0, stream>>>(even, 16384, 1000);
    iterate<<<64, 256, 0, stream>>>(odd, 16384, 1000);
  }
  for (int round = 0; round < 4; round++) {
    relax<<<64, 256, 0, stream>>>(even, odd, 16384);
    relax<<<64, 256, 0, stream>>>(odd, even, 16384);
  }
}

// The host has something to do in each iteration.
void looked(float *even, float *odd, float *host, int rounds, cudaStream_t stream) {
  for (int round = 0; round < rounds && host[0] > 1.0f; round++) {
    relax<<<64, 256, 0, stream>>>(even, odd, 16384);
    relax<<<64, 256, 0, stream>>>(odd, even, 16384);
    cudaMemcpyAsync(host, even, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  }
}
