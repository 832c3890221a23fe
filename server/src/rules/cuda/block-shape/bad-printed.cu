// Shapes that are printed: what holds them changes. What a message states as text stays, and so does its launch.
#include <cstdio>

__global__ void scale(float *values, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

void scaleAll(float *values, int n) {
  const int threads = 48;
  const int blocks = (n + threads - 1) / threads;
  printf("%d blocks of %d\n", blocks, threads);
  scale<<<blocks, threads>>>(values, 2.0f, n);
  //              ^^^^^^^ not-warps
}

void halve(float *values, int n) {
  printf("blocks of 48\n");
  scale<<<(n + 47) / 48, 48>>>(values, 0.5f, n);
  //                     ^^ not-warps
}
