#include <cuda_runtime.h>

__global__ void relax(float *field, int count, int *changed) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count && field[at] > 1.0f) {
    field[at] *= 0.5f;
    *changed = 1;
  }
}

void untilStill(float *field, int *changed, int count) {
  int again;
  do {
    cudaMemset(changed, 0, sizeof(int));
    relax<<<(count + 255) / 256, 256>>>(field, count, changed);
    cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ number warning
  } while (again);
}

int counted(float *field, int *changed, int count, int turns) {
  int total = 0;
  for (int turn = 0; turn < turns; turn++) {
    int once;
    relax<<<(count + 255) / 256, 256>>>(field, count, changed);
    cudaMemcpy(&once, changed, sizeof(int), cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ number warning
    total += once;
  }
  return total;
}
