// A buffer that only grows, one that is made once, and two that change places: no allocation on each iteration.
#include <utility>

__global__ void smooth(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 0.5f;
}

void grows(int count, const int *sizes) {
  float *part = nullptr;
  int held = 0;
  for (int s = 0; s < count; s++) {
    if (sizes[s] > held) {
      cudaFree(part);
      cudaMalloc(&part, sizes[s] * sizeof(float));
      held = sizes[s];
    }
    smooth<<<(sizes[s] + 255) / 256, 256>>>(part, sizes[s]);
  }
  cudaFree(part);
}

void once(int count, int n) {
  float *part = nullptr;
  for (int s = 0; s < count; s++) {
    if (!part) cudaMalloc(&part, n * sizeof(float));
    smooth<<<(n + 255) / 256, 256>>>(part, n);
  }
  cudaFree(part);
}

// What one iteration makes, the next one reads.
void chain(int count, const int *sizes) {
  float *before = nullptr, *now = nullptr;
  for (int s = 0; s < count; s++) {
    cudaFree(before);
    before = now;
    cudaMalloc(&now, sizes[s] * sizeof(float));
    smooth<<<(sizes[s] + 255) / 256, 256>>>(now, sizes[s]);
  }
}
