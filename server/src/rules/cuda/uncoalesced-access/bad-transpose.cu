// Transpositions: one side runs along rows, the other down columns.
const int side = 32;

__global__ void writesDown(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = 2.0f * in[y * width + x];
  //                           ^^^^^^^^^^^^^^^^^^^ slow-axis warning
}

template <typename T>
__global__ void readsDown(const T *__restrict__ in, T *__restrict__ out, int width, int height) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * side + tx, row = blockIdx.y * side + ty;
  if (column >= height || row >= width) return;
  out[row * height + column] += in[column * width + row];
  //                            ^^^^^^^^^^^^^^^^^^^^^^^^ slow-axis warning
}

void run(const float *in, float *out, const double *from, double *to, int width, int height) {
  dim3 block(side, side);
  writesDown<<<dim3((width + side - 1) / side, (height + side - 1) / side), block>>>(in, out, width, height);
  readsDown<<<dim3((height + side - 1) / side, (width + side - 1) / side), block>>>(from, to, width, height);
}
