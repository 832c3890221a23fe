// A matrix times a vector, a row to a thread; and column sums of a tall matrix in row order.
constexpr int columns = 1024;

__global__ void multiplyRows(const float *matrix, const float *vec, float *product, int rows) {
  const int lane = threadIdx.x % 32;
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row < rows) {
    float total = 0.0f;
    for (int c = lane; c < columns; c += 32)
      total += matrix[row * columns + c] * vec[c];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_xor_sync(0xffffffff, total, offset);
    if (lane == 0) product[row] = total;
  }
}

__global__ void rowMaximum(const int *table, int *maxima, int rows, int pitch) {
  const int lane = threadIdx.x % 32;
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (r >= rows) return;
  const int *mine = table + r * pitch;
  int best = mine[0];
  for (int c = 1 + lane; c < pitch; c += 32) {
    best = max(best, mine[c]);
  }
  for (int offset = 16; offset > 0; offset >>= 1) best = max(best, __shfl_xor_sync(0xffffffff, best, offset));
  if (lane == 0) maxima[r] = best;
}

void run(const float *matrix, const float *vec, float *product, const int *table, int *maxima, int rows, int pitch) {
  dim3 threads(256);
  dim3 blocks((rows + threads.x - 1) / threads.x);
  const dim3 blocksOfWarps(blocks.x * 32);
  multiplyRows<<<blocksOfWarps, threads>>>(matrix, vec, product, rows);
  rowMaximum<<<blocksOfWarps, threads>>>(table, maxima, rows, pitch);
}
