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
  square<<<n / 32, 32>>>(values, n);
//                 ^^ small warning
  powers<<<n / 32, 32>>>(values, n, n);
//                 ^^ small warning
  square<<<n, 1>>>(values, n);
//            ^ one-thread warning
  square<<<n / 2048, 2048>>>(values, n);
//                   ^^^^ too-large error
  cudaFree(values);
  return 0;
}
