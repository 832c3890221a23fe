// Waits through wrapper macros and functions, on a stream, twice in one iteration, with a wait behind the loop.
#include <cstdio>
#include <cstdlib>

#define GPU_CHECK(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) { fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

__global__ void rows(float *m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) m[i] += m[k * n + i];
}

void eliminate(float *m, int n, cudaStream_t stream) {
  for (int k = 1; k < n; k++) {
    rows<<<(n + 127) / 128, 128, 0, stream>>>(m, n, k);
    GPU_CHECK(cudaGetLastError());
  }
  GPU_CHECK(cudaStreamSynchronize(stream));
}

void twice(float *m, int n, int levels) {
  for (int level = 0; level < levels; ++level) {
    rows<<<(n + 127) / 128, 128>>>(m, n, level);
    rows<<<(n + 127) / 128, 128>>>(m, n, level + 1);
  }
  GPU_CHECK(cudaDeviceSynchronize());
}
