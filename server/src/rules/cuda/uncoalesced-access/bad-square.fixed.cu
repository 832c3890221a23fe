// Rows of a square matrix are as long as it has rows, which threads are counted by. Beside it rows of which nothing
// says that they are long, and the end of a matrix product, which is little where the loop before it is long.
__global__ void rowSums(const float *matrix, float *sums, int n) {
  const int lane = threadIdx.x % 32;
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= n) return;
  float sum = 0.0f;
  for (int k = lane; k < n; k += 32) sum += matrix[row * n + k];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[row] = sum;
}

__global__ void norms(const float *points, float *sums, int count, int components) {
  const int lane = threadIdx.x % 32;
  int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (i >= count) return;
  float sum = 0.0f;
  for (int k = lane; k < components; k += 32) sum += points[i * components + k] * points[i * components + k];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[i] = sum;
}

__global__ void product(const float *a, const float *b, float *c, int k) {
  __shared__ float rows[8][64];
  float sums[4] = {};
  for (int at = 0; at < k; at += 8) {
    rows[threadIdx.x / 32][threadIdx.x % 32] = a[at * 256 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 4; i++) sums[i] += rows[i][threadIdx.x % 32] * b[at * 256 + i * 256 + threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) c[(blockIdx.x * 256 + threadIdx.x) * 4096 + i * 2] = sums[i];
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread information
}

void run(const float *a, const float *b, float *c, int n, int components) {
  rowSums<<<((n + 255) / 256) * 32, 256>>>(a, c, n);
  norms<<<((n + 255) / 256) * 32, 256>>>(a, c, n, components);
  product<<<64, 256>>>(a, b, c, n);
}
