#include <cstdio>
#include <cuda_runtime.h>

__global__ void relax(float *field, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) field[at] = field[at] * 0.5f + 1.0f;
}

// Its value goes to the launch alone: what it does besides is unknown, so that nothing is moved.
int countOf(int turn);
void sweep(float *field, int count) {
  relax<<<(count + 255) / 256, 256>>>(field, count);
  cudaDeviceSynchronize();
}

void levels(float *field, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    int count = countOf(turn);
    relax<<<(count + 255) / 256, 256>>>(field, count);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

// Others may call it for the wait.
void launchedElsewhere(float *field, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    sweep(field, count);
//  ^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

// What it prints stays where it is.
void finish(int turn) {
  cudaDeviceSynchronize();
  printf("turn %d\n", turn);
}
void said(float *field, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    relax<<<(count + 255) / 256, 256>>>(field, count);
    finish(turn);
//  ^^^^^^^^^^^^ synchronise warning
  }
}
