#include <cuda_runtime.h>

long long ticks();

__global__ void expand(float *field, int count, int *next) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count && field[at] > 1.0f) atomicAdd(next, 1);
}

// The next launch needs the number.
void frontier(float *field, int *next, int count) {
  while (count > 0) {
    cudaMemset(next, 0, sizeof(int));
    expand<<<(count + 255) / 256, 256>>>(field, count, next);
    int found;
    cudaMemcpy(&found, next, sizeof(int), cudaMemcpyDeviceToHost);
    count = found;
  }
}

// A function without a body whose value is more than a launch's argument may read a clock.
long long timed(float *field, int *next, int count, int turns) {
  long long total = 0;
  for (int turn = 0; turn < turns; turn++) {
    long long begin = ticks();
    expand<<<(count + 255) / 256, 256>>>(field, count, next);
    cudaDeviceSynchronize();
    total += ticks() - begin;
  }
  return total;
}

// It waits in a debug build alone.
void finish(bool debug) {
  if (debug) cudaDeviceSynchronize();
}
void steps(float *field, int *next, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    expand<<<(count + 255) / 256, 256>>>(field, count, next);
    finish(false);
  }
}
