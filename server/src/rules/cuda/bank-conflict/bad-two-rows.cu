// A tile in registers: the nest is unrolled, and four columns of a row are one read. Stores of rows still meet.
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float left[64][8], right[8][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum[4] = {0, 0, 0, 0};
  for (int from = 0; from < n; from += 8) {
    for (int i = 0; i < 4; i++)
      if (x < 8) left[y * 4 + i][x] = a[(blockIdx.y * 64 + y * 4 + i) * n + from + x];
//               ^^^^^^^^^^^^^^^^^^ other information
    if (y < 8) right[y][x] = b[(from + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < 4; i++) sum[i] += left[y * 4 + i][k] * right[k][x];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) c[(blockIdx.y * 64 + y * 4 + i) * n + blockIdx.x * 16 + x] = sum[i];
}

void run(const float *a, const float *b, float *c, int n) { product<<<dim3(n / 16, n / 64), dim3(16, 16)>>>(a, b, c, n); }
