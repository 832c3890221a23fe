// A transposition of a type that a build chooses.
#ifdef USE_DOUBLE
#define REAL double
#else
#define REAL float
#endif
const int side = 32;

__global__ void writesDown(const REAL *in, REAL *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  __shared__ REAL tile[side][side + 1];
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = 2 * in[y * width + x];
  __syncthreads();
  const int mirrored_x = blockIdx.x * blockDim.x + threadIdx.y;
  const int mirrored_y = blockIdx.y * blockDim.y + threadIdx.x;
  if (mirrored_x < width && mirrored_y < height) out[mirrored_x * height + mirrored_y] = tile[threadIdx.x][threadIdx.y];
}

void run(const REAL *in, REAL *out, int width, int height) {
  dim3 block(side, side);
  writesDown<<<dim3((width + side - 1) / side, (height + side - 1) / side), block>>>(in, out, width, height);
}
