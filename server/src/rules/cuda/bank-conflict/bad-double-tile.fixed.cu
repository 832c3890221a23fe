// Two tiles of doubles, one stored by columns; the sizes are literals.
__global__ void blockedProduct(const double *a, const double *b, double *c, int n) {
  __shared__ double as[16][16];
  __shared__ double bt[16][18];  // transposed on the way in
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  double sum = 0.0;
  for (int t = 0; t < n / 16; ++t) {
    as[ty][tx] = a[row * n + t * 16 + tx];
    bt[tx][ty] = b[(t * 16 + ty) * n + col];
//  ^^^^^^^^^^ column hint
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bt[tx][k];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

void product(const double *a, const double *b, double *c) {
  const int n = 1024;
  dim3 block(16, 16), grid(n / block.x, n / block.y);
  blockedProduct<<<grid, block>>>(a, b, c, n);
}
