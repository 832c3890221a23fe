// Of the grid only the first thread adds up, by whatever comparison.
__global__ void below(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1) {
    if (n > 0) {
      float total = *sum;
      for (int k = 0; k < n; k++) total += x[k];
      *sum = total;
    }
  }
}

__global__ void above(float *sum, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (0 >= i) {
    if (n > 0) {
      float total = *sum;
      for (int k = 0; k < n; k++) total += x[k];
      *sum = total;
    }
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
