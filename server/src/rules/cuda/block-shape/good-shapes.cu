// Whole warps, and sizes that only run time knows.
__global__ void scale(float *values, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= f;
}

void run(float *values, int n, int threads) {
  scale<<<(n + 127) / 128, 128>>>(values, 2.0f, n);
  scale<<<(n + threads - 1) / threads, threads>>>(values, 2.0f, n);
  int minimumGrid = 0, best = 0;
  cudaOccupancyMaxPotentialBlockSize(&minimumGrid, &best, scale, 0, 0);
  scale<<<(n + best - 1) / best, best>>>(values, 2.0f, n);
  dim3 block(32, 8);
  scale<<<1000, block>>>(values, 2.0f, n);
}
