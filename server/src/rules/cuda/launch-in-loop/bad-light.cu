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

// Many threads, or as many as a number out of sight says.
void large(float *even, float *odd, int n, int rounds, cudaStream_t stream) {
  for (int round = 0; round < rounds; round++) {
    relax<<<65536, 256, 0, stream>>>(even, odd, 1 << 24);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ graph hint
    relax<<<65536, 256, 0, stream>>>(odd, even, 1 << 24);
  }
  for (int round = 0; round < rounds; round++) {
    relax<<<(n + 255) / 256, 256, 0, stream>>>(even, odd, n);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ graph warning
    relax<<<(n + 255) / 256, 256, 0, stream>>>(odd, even, n);
  }
}
