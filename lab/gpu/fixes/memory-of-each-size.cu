// A hundred steps that each take memory of a size of their own and give it back.
#include "timing.cuh"

__global__ void halve(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * 0.5f + 1.0f;
}

void steps(float *cells, int n, int count) {
  for (int step = 0; step < count; step++) {
    int part = n - step;
    float *scratch;
    cudaMalloc(&scratch, part * sizeof(float));
    halve<<<(part + 255) / 256, 256>>>(scratch, cells, part);
    halve<<<(part + 255) / 256, 256>>>(cells, scratch, part);
    cudaFree(scratch);
  }
}

int main() {
  const int n = 4194304;
  float *cells = numbers(n);
  return timed([&] { steps(cells, n, 100); }, cells, n);
}
