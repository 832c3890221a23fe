// Forty-eight threads a block, and a thousand.
__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void run(float *y, const float *x, int n) {
  const int threads = 64;  // small blocks
  const int blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(y, x, 2.0f, n);
  saxpy<<<(n + 255) / 256, 256>>>(y, x, 2.0f, n);
}
