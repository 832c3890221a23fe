// One warp a block, one thread a block, and a block that cannot be.
__global__ void square(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= values[i];
}

__global__ void powers(float *values, int n, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < times; k++) values[i] *= values[i];
}

int main() {
  const int n = 1 << 20;
  float *values;
  cudaMalloc(&values, n * sizeof(float));
  square<<<(n / 32 + 7) / 8, 256>>>(values, n);
  powers<<<(n / 32 + 7) / 8, 256>>>(values, n, n);
  square<<<(n + 255) / 256, 256>>>(values, n);
  square<<<(n / 2048) * 8, 256>>>(values, n);
  cudaFree(values);
  return 0;
}
