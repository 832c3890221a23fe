// Forty-eight threads a block, and a thousand.
__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void run(float *y, const float *x, int n) {
  const int threads = 48;  // small blocks
  const int blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(y, x, 2.0f, n);
//                ^^^^^^^ not-warps information
  saxpy<<<(n + 999) / 1000, 1000>>>(y, x, 2.0f, n);
//                          ^^^^ not-warps hint
}
