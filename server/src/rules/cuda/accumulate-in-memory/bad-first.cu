// Of the grid only the first thread adds up, by whatever comparison.
__global__ void below(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1) {
    for (int k = 0; k < n; k++) *sum += x[k];
//                              ^^^^ sum warning
  }
}

__global__ void above(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (0 >= i) {
    for (int k = 0; k < n; k++) *sum += x[k];
//                              ^^^^ sum warning
  }
}

// 64 threads at one place are a race.
__global__ void many(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 64) {
    for (int k = 0; k < n; k++) *sum += x[k];
  }
}

void launch(float *sum, const float *x, int n) {
  below<<<(n + 255) / 256, 256>>>(sum, x, n);
  above<<<(n + 255) / 256, 256>>>(sum, x, n);
  many<<<(n + 255) / 256, 256>>>(sum, x, n);
}
