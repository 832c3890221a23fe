// A few blocks are a small problem, whatever their shape.
__global__ void shift(float *a, int n, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}

void run(float *a, int n) {
  shift<<<(24 * 10 + 255) / 256, 256>>>(a, n, 24 * 10);
}
