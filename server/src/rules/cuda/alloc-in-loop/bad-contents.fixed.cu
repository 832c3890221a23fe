// Buffers that the kernels fill: what the iteration before wrote would stay in them.
__global__ void count(const int *in, int *histogram, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[in[i] & 63], 1);
}
__global__ void double_(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int run(const int *in, int *result, int n, int steps) {
  int step = 0, *scratch;
  cudaMalloc(&scratch, n * sizeof(int));
  while (step < steps) {
    int *histogram = NULL;
    if (cudaMalloc(&histogram, 64 * sizeof(int)) != cudaSuccess) return 1;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
    double_<<<(n + 127) / 128, 128>>>(in, scratch, n);
    count<<<(n + 127) / 128, 128>>>(scratch, histogram, n);
    cudaMemcpy(result + 64 * step, histogram, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(histogram);
    step++;
  }
  cudaFree(scratch);
  return 0;
}
