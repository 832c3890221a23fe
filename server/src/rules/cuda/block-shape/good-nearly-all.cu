// 128 blocks leave four of the 132 multiprocessors of an H100 without one: nothing worth a change.
__global__ void fill(float *values, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) values[i] = 1.0f;
}

void launch(float *values, int n) { fill<<<128, 256>>>(values, n); }
