// A matrix times a vector, a row to a thread; and column sums of a tall matrix in row order.
constexpr int columns = 1024;

__global__ void multiplyRows(const float *matrix, const float *vec, float *product, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float total = 0.0f;
    for (int c = 0; c < columns; ++c)
      total += matrix[row * columns + c] * vec[c];
//             ^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
    product[row] = total;
  }
}

__global__ void rowMaximum(const int *table, int *maxima, int rows, int pitch) {
  int r = threadIdx.x + blockIdx.x * blockDim.x;
  if (r >= rows) return;
  const int *mine = table + r * pitch;
  int best = mine[0];
//           ^^^^^^^ unknown-stride hint
  for (int c = 1; c < pitch; c++) {
    best = max(best, mine[c]);
//                   ^^^^^^^ row-per-thread warning
  }
  maxima[r] = best;
}

void run(const float *matrix, const float *vec, float *product, const int *table, int *maxima, int rows, int pitch) {
  dim3 threads(256);
  dim3 blocks((rows + threads.x - 1) / threads.x);
  multiplyRows<<<blocks, threads>>>(matrix, vec, product, rows);
  rowMaximum<<<blocks, threads>>>(table, maxima, rows, pitch);
}
