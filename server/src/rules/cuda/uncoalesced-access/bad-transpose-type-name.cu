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
  if (x < width && y < height) out[x * height + y] = 2 * in[y * width + x];
  //                           ^^^^^^^^^^^^^^^^^^^ slow-axis warning
}

void run(const REAL *in, REAL *out, int width, int height) {
  dim3 block(side, side);
  writesDown<<<dim3((width + side - 1) / side, (height + side - 1) / side), block>>>(in, out, width, height);
}
