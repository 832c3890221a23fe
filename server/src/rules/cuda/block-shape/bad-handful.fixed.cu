// One thread a block: a few statements beside the work, pointers of a batch, and the work itself.
__global__ void close(int *state, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  state[(blockIdx.x * blockDim.x + threadIdx.x)] = 0;
}
__global__ void addEach(const float *a, float *b, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  b[(blockIdx.x * blockDim.x + threadIdx.x)] += a[(blockIdx.x * blockDim.x + threadIdx.x)];
}

__global__ void set_pointers(float **rows, float *matrix, int width, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  rows[(blockIdx.x * blockDim.x + threadIdx.x)] = matrix + (blockIdx.x * blockDim.x + threadIdx.x) * width;
}

void run(int *state, const float *a, float *b, float **rows, int n) {
  close<<<1, 256>>>(state, 32);
  set_pointers<<<(n + 255) / 256, 256>>>(rows, b, n, n);
  addEach<<<(n + 255) / 256, 256>>>(a, b, n);
}
