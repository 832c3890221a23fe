// Sixteen blocks for a hundred multiprocessors, though the loop would share its work among any number of them.
__global__ void blend(const float *a, const float *b, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 0.5f * (a[i] + b[i]);
}

void blendAll(const float *a, const float *b, float *out, int n) {
  blend<<<128, 256>>>(a, b, out, n);
}

// A thread a column of a square: few of them, and each has much to do. Beside it a few elements, done at once.
constexpr int side = 4096;

__global__ void columnSums(const float *a, float *sums) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = 0; row < side; row++) sum += a[row * side + column];
  sums[column] = sum;
}

__global__ void add(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

void few(const float *a, const float *b, float *out) {
  columnSums<<<side / 256, 256>>>(a, out);
//             ^^^^^^^^^^ small-grid warning
  add<<<side / 256, 256>>>(a, b, out, side);
//      ^^^^^^^^^^ small-grid hint
}
