// The launches stand in an inner loop and in a function of their own.
__global__ void relax(float *grid, int width, int colour) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width && (i & 1) == colour) grid[i] *= 0.5f;
}

static void sweep(float *grid, int width) {
  for (int colour = 0; colour < 2; colour++) relax<<<(width + 63) / 64, 64>>>(grid, width, colour);
}

void solve(float *grid, int width, int sweeps) {
  int s = 0;
  while (s < sweeps) {
    sweep(grid, width);
    s += 1;
  }
  cudaDeviceSynchronize();
}
