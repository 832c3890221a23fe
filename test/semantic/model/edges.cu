// Conditions on the edges of a domain whose extents nobody in sight gives hold inside of it, where most threads are.
__global__ void neighbours(const float *cells, float *next, int width, int height) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int row = at / width;
  int column = at % width;
  int upper = row > 0 && column > 0 ? row - 1 : row;
  int left = row > 0 && column > 0 ? column - 1 : column;
  next[at] = cells[upper * width + left];
//^^^^^^^^ store 4/4
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 5/4
}

__global__ void clamped(const float *cells, float *next, int width) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int row = at / width;
  int above = max(row - 1, 0);
  next[at] = cells[above * width + at % width + 1];
//^^^^^^^^ store 4/4
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 5/4
  if (row) next[at] = cells[(row - 1) * width + at % width + 2];
//         ^^^^^^^^ store 4/4
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 5/4
}

/** A bound that is a number with a fraction, loaded or given, is as far away as one without. */
__global__ void part(double *image, const double *settings, double end, int piece) {
  int x = piece * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= settings[2]) return;
//         ^^^^^^^^^^^ load 1/1
  image[3 * x] = 1.0;
//^^^^^^^^^^^^ store 24/8
  if (x >= end) return;
  image[3 * x + 1] = 1.0;
//^^^^^^^^^^^^^^^^ store 24/8
}

void run(const float *cells, float *next, double *image, const double *settings, double end, int n) {
  neighbours<<<n, 256>>>(cells, next, n, n);
  clamped<<<n, 256>>>(cells, next, n);
  for (int piece = 0; piece < 40; piece++) part<<<1, 128>>>(image, settings, end, piece);
}
