// Transpositions: one side runs along rows, the other down columns.
const int side = 32;

__global__ void writesDown(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  __shared__ float tile[side][side + 1];
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = 2.0f * in[y * width + x];
  __syncthreads();
  const int mirrored_x = blockIdx.x * blockDim.x + threadIdx.y;
  const int mirrored_y = blockIdx.y * blockDim.y + threadIdx.x;
  if (mirrored_x < width && mirrored_y < height) out[mirrored_x * height + mirrored_y] = tile[threadIdx.x][threadIdx.y];
}

template <typename T>
__global__ void readsDown(const T *__restrict__ in, T *__restrict__ out, int width, int height) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * side + tx, row = blockIdx.y * side + ty;
  __shared__ T tile[side][side + 1];
  const int mirrored_tx = threadIdx.y;
  const int mirrored_ty = threadIdx.x;
  const int mirrored_column = blockIdx.x * side + mirrored_tx;
  const int mirrored_row = blockIdx.y * side + mirrored_ty;
  if (!(mirrored_column >= height || mirrored_row >= width))
    tile[threadIdx.x][threadIdx.y] = in[mirrored_column * width + mirrored_row];
  __syncthreads();
  if (!(column >= height || row >= width)) out[row * height + column] += tile[threadIdx.y][threadIdx.x];
}

void run(const float *in, float *out, const double *from, double *to, int width, int height) {
  dim3 block(side, side);
  writesDown<<<dim3((width + side - 1) / side, (height + side - 1) / side), block>>>(in, out, width, height);
  readsDown<<<dim3((height + side - 1) / side, (width + side - 1) / side), block>>>(from, to, width, height);
}
