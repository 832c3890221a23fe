// Sums whose own array the loop reads, at places that are never theirs.
__global__ void factor(float *m, int pitch) {
  int i, j;
  __shared__ float tile[16][17];
  for (i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * pitch + threadIdx.x];
  __syncthreads();
  for (i = 0; i < 15; i++) {
    if (threadIdx.x > i) {
      float sum = tile[threadIdx.x][i];
      for (j = 0; j < i; j++)
        sum -= tile[threadIdx.x][j] * tile[j][i];
      tile[threadIdx.x][i] = sum / tile[i][i];
    }
    __syncthreads();
    if (threadIdx.x > i) {
      float sum = tile[i + 1][threadIdx.x];
      for (j = 0; j < i + 1; j++)
        sum -= tile[i + 1][j] * tile[j][threadIdx.x];
      tile[i + 1][threadIdx.x] = sum;
    }
    __syncthreads();
  }
  for (i = 1; i < 16; i++) m[i * pitch + threadIdx.x] = tile[i][threadIdx.x];
}

// Rows by those above them, which no thread but its own reads.
__global__ void rows(float *m, const float *lower) {
  __shared__ float tile[32][33];
  const int t = threadIdx.x;
  for (int i = 0; i < 32; i++) tile[i][t] = m[i * 32 + t];
  __syncthreads();
  for (int i = 1; i < 32; i++) {
    if (i - 1 >= 0) {
      float sum = tile[i][t];
      for (int j = 0; j <= i - 1; ++j) sum -= lower[i * 32 + j] * tile[j][t];
      tile[i][t] = sum;
    }
  }
  for (int i = 0; i < 32; i++) m[i * 32 + t] = tile[i][t];
}

void run(float *m, const float *lower, int n) {
  factor<<<1, 16>>>(m, n);
  rows<<<1, 32>>>(m, lower);
}
