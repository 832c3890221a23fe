// Products in two statements, of one-dimensional blocks and in tiles of registers: known by what they compute.
__global__ void twice(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float s = 0;
  for (int k = 0; k < n; k++) {
    float t = a[row * n + k] * b[k * n + col];
    s += t;
//  ^^^^^^^ element
  }
  c[row * n + col] = s;
}

__global__ void flat(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  int row = i / n, col = i % n;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  c[i] = s;
}

__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float A[8][68], B[8][68];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[4][4] = {};
  for (int t = 0; t < n; t += 8) {
    for (int q = threadIdx.x; q < 512; q += 256) {
      A[q % 8][q / 8] = a[(blockIdx.y * 64 + q / 8) * n + t + q % 8];
      B[q / 64][q % 64] = b[(t + q / 64) * n + blockIdx.x * 64 + q % 64];
    }
    __syncthreads();
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) acc[i][j] += A[k][ty * 4 + i] * B[k][tx * 4 + j];
//                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ registers
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = acc[i][j];
}

void launch(const float *a, const float *b, float *c, int n) {
  twice<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
  flat<<<(n * n + 255) / 256, 256>>>(a, b, c, n);
  tiles<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
}
