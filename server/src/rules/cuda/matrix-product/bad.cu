// Products of matrices: in rows, transposed, in columns, of doubles, with a factor, and by tiles.
__global__ void inRows(const float *a, const float *b, float *c, int m, int n, int depth) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < depth; k++) {
      sum += a[row * depth + k] * b[k * n + column];
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
    }
    c[row * n + column] = sum;
  }
}

__global__ void byTransposed(const double *x, const double *y, double *z, double alpha, double beta, int n) {
  const int i = threadIdx.y + blockIdx.y * 16, j = threadIdx.x + blockIdx.x * 16;
  if (i >= n || j >= n) return;
  double total = 0;
  for (int k = 0; k < n; ++k) total = fma(x[i * n + k], y[j * n + k], total);
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  z[i * n + j] = alpha * total + beta * z[i * n + j];
}

__global__ void inColumns(int m, int n, int depth, const float *a, int lda, const float *b, int ldb, float *c, int ldc) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; k++) sum = sum + a[k * lda + row] * b[column * ldb + k];
//                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  c[column * ldc + row] = sum;
}

__global__ void oneAxis(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / n, column = i % n;
  if (row < n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
//                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
    c[row * n + column] = sum;
  }
}

// Kept in memory, as benchmarks have it.
__global__ void inMemory(const float *a, const float *b, float *c, float alpha, float beta, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[i * n + j] *= beta;
    for (int k = 0; k < n; k++) {
      c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
    }
  }
}

const int tile = 16;

__global__ void byTiles(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[tile][tile];
  __shared__ float tileB[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0.0f;
  for (int step = 0; step < (n + tile - 1) / tile; step++) {
    if (row < n && step * tile + tx < n)
      tileA[ty][tx] = a[row * n + step * tile + tx];
    else
      tileA[ty][tx] = 0.0f;
    tileB[ty][tx] = step * tile + ty < n && column < n ? b[(step * tile + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; k++) sum += tileA[ty][k] * tileB[k][tx];
//                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ tiled
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// As NVIDIA's own sample has it: two counters, and both matrices move.
template <int BLOCK_SIZE>
__global__ void stepped(float *C, float *A, float *B, int wA, int wB) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1, aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * wB;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) {
      Csub += As[ty][k] * Bs[k][tx];
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ tiled
    }
    __syncthreads();
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
  C[c + wB * ty + tx] = Csub;
}

template __global__ void stepped<32>(float *, float *, float *, int, int);

// The same matrix times a vector of each block: by shuffles, and through shared memory.
__global__ void byShuffles(const float *vectors, const float *matrix, float *out, int length) {
  __shared__ float sums[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int row = 0; row < length; row++) {
    float product = matrix[row * length + t] * vectors[blockIdx.x * length + t];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ blocks
    for (int offset = 16; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
    if (lane == 0) sums[warp] = product;
    __syncthreads();
    if (warp == 0) {
      product = sums[lane];
      for (int offset = 16; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
      if (lane == 0) out[blockIdx.x * length + row] = product;
    }
    __syncthreads();
  }
}

// As fixes write it: the sum is taken on by a variable and put back.
__global__ void byTotals(const double *vectors, const double *weights, double *out, int length) {
  __shared__ double terms[1024];
  __shared__ double totals[32];
  const int t = threadIdx.x;
  for (int row = 0; row < length; row++) {
    terms[t] = weights[row * length + t] * vectors[blockIdx.x * length + t];
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ blocks
    __syncthreads();
    double total = terms[t];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (t % 32 == 0) totals[t / 32] = total;
    __syncthreads();
    if (t < 32) {
      total = t < blockDim.x / 32 ? totals[t] : 0.0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (t == 0) terms[0] = total;
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x * length + row] = terms[0];
    __syncthreads();
  }
}

// The factor in a structure that is passed by value.
struct Scales {
  float alpha, beta;
};
__global__ void byStructure(const float *a, const float *b, float *c, Scales scales, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += scales.alpha * a[row * n + k] * b[k * n + column];
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  c[row * n + column] = sum + scales.beta * c[row * n + column];
}
