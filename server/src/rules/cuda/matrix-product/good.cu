// Sums of products that are no product of two large matrices, or none that the library would take.
__global__ void matrixByVector(const float *a, const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (row >= n) return;
  for (int k = 0; k < n; k++) sum += a[k * n + row] * x[k];
  y[row] = sum;
}

// Sixteen terms.
__global__ void small(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 16; k++) sum += a[row * 16 + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// A filter moves over an image.
__global__ void convolved(const float *image, const float *filter, float *out, int width, int size) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < size; k++) sum += image[row * width + column + k] * filter[k];
  out[row * width + column] = sum;
}

// Whole numbers.
__global__ void ofIntegers(const int *a, const int *b, int *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// A triangle, by its loop and by its guard.
__global__ void triangle(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < row; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void half(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > column) return;
  if (row <= column) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

// In place, as a factorisation does it.
__global__ void inPlace(float *m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += m[row * n + k] * m[k * n + column];
  m[row * n + column] = sum;
}

// Something comes behind it.
__global__ void activated(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = tanhf(sum);
}

// Rows that an index picks.
__global__ void gathered(const float *a, const int *rows, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[rows[row] * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// Distances.
__global__ void distances(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) {
    float d = a[row * n + k] - b[column * n + k];
    sum += d * d;
  }
  c[row * n + column] = sum;
}

// The largest product, and one that is begun with something.
__global__ void largest(const float *a, const float *b, const float *start, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float most = 0.0f;
  for (int k = 0; k < n; k++) most = fmaxf(most, a[row * n + k] * b[k * n + column]);
  c[row * n + column] = most;
}

// Tiles whose sum begins anew with each of them.
__global__ void blocks(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[16][16];
  __shared__ float tileB[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int step = 0; step < n / 16; step++) {
    tileA[ty][tx] = a[(blockIdx.y * 16 + ty) * n + step * 16 + tx];
    tileB[ty][tx] = b[(step * 16 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += tileA[ty][k] * tileB[k][tx];
    c[step * n + blockIdx.x * 256 + ty * 16 + tx] = sum;
    __syncthreads();
  }
}

// A tile of an image and one of weights that stay.
__global__ void correlated(const float *image, const float *weights, float *out, int n) {
  __shared__ float part[16][16];
  __shared__ float fixed[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  fixed[ty][tx] = weights[ty * 16 + tx];
  float sum = 0.0f;
  for (int step = 0; step < n / 16; step++) {
    part[ty][tx] = image[(blockIdx.y * 16 + ty) * n + step * 16 + tx];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += part[ty][k] * fixed[k][tx];
    __syncthreads();
  }
  out[(blockIdx.y * 16 + ty) * 16 + tx] = sum;
}

// A matrix of each block, the largest product of a row, and one vector for all of them.
__global__ void ownMatrices(const float *vectors, const float *matrices, float *out, int length) {
  const int t = threadIdx.x;
  for (int row = 0; row < length; row++) {
    float product = matrices[(blockIdx.x * length + row) * length + t] * vectors[blockIdx.x * length + t];
    for (int offset = 16; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
    if (t == 0) out[blockIdx.x * length + row] = product;
  }
}

__global__ void largestOfRow(const float *vectors, const float *matrix, float *out, int length) {
  const int t = threadIdx.x;
  for (int row = 0; row < length; row++) {
    float product = matrix[row * length + t] * vectors[blockIdx.x * length + t];
    for (int offset = 16; offset > 0; offset >>= 1)
      product = fmaxf(product, __shfl_down_sync(0xffffffff, product, offset));
    if (t == 0) out[blockIdx.x * length + row] = product;
  }
}

__global__ void oneVector(const float *vector, const float *matrix, float *out, int length) {
  const int t = threadIdx.x;
  for (int row = 0; row < length; row++) {
    float product = matrix[row * length + t] * vector[t];
    for (int offset = 16; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
    if (t == 0) out[blockIdx.x * length + row] = product;
  }
}

// A variable that takes a product on, and counts something else.
__global__ void counted(const float *vectors, const float *matrix, float *out, int length) {
  const int t = threadIdx.x;
  for (int row = 0; row < length; row++) {
    float product = matrix[row * length + t] * vectors[blockIdx.x * length + t];
    float count = product > 0.0f ? 1.0f : 0.0f;
    for (int offset = 16; offset > 0; offset >>= 1) count += __shfl_down_sync(0xffffffff, count, offset);
    if (t == 0) out[blockIdx.x * length + row] = count;
  }
}
