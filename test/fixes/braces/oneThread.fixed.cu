// fix: One thread
// One thread a block: a few statements beside the work, pointers of a batch, and the work itself.
__global__ void close(int *state, unsigned int threads)
{
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  state[(blockIdx.x * blockDim.x + threadIdx.x)] = 0;
}
__global__ void addEach(const float *a, float *b) { b[blockIdx.x] += a[blockIdx.x]; }

__global__ void set_pointers(float **rows, float *matrix, int width) { rows[blockIdx.x] = matrix + blockIdx.x * width; }

void run(int *state, const float *a, float *b, float **rows, int n)
{
  close<<<1, 256>>>(state, 32);
  set_pointers<<<n, 1>>>(rows, b, n);
  addEach<<<n, 1>>>(a, b);
}
