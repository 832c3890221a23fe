// Rows that blocks of one thread take by the block's number.
__device__ float largest(const float *row, int columns) {
  float found = row[0];
  for (int at = 1; at < columns; at++) found = row[at] > found ? row[at] : found;
  return found;
}

__global__ void peaks(const float *rows, float *found, int count, int columns) {
  int row;
  for (row = blockIdx.x * blockDim.x + threadIdx.x; row < count; row += gridDim.x * blockDim.x) found[row] = largest(rows + row * columns, columns);
}

void findPeaks(const float *rows, float *found, int count, int columns) {
  peaks<<<(count + 255) / 256, 256>>>(rows, found, count, columns);
}
