// Blocks of two dimensions whose rows are whole sectors, a transposed read through a tile, a halo.
const int side = 16;

__global__ void smooth(const float *in, float *out, int width, int height) {
  __shared__ float tile[side + 2][side + 2];
  int x = blockIdx.x * side + threadIdx.x;
  int y = blockIdx.y * side + threadIdx.y;
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  tile[ly][lx] = in[y * width + x];
  if (threadIdx.x == 0 && x > 0) tile[ly][0] = in[y * width + x - 1];
//                                             ^^^^^^^^^^^^^^^^^^^^^ scattered warning
  if (threadIdx.x == side - 1 && x + 1 < width) tile[ly][side + 1] = in[y * width + x + 1];
//                                                                   ^^^^^^^^^^^^^^^^^^^^^ scattered hint
  if (threadIdx.y == 0 && y > 0) tile[0][lx] = in[(y - 1) * width + x];
  if (threadIdx.y == side - 1 && y + 1 < height) tile[side + 1][lx] = in[(y + 1) * width + x];
  __syncthreads();
  out[y * width + x] = 0.2f * (tile[ly][lx] + tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx]);
}

__global__ void copyRows(const double *from, double *to, size_t pitch) {
  size_t at = (size_t)(blockIdx.y * blockDim.y + threadIdx.y) * pitch + blockIdx.x * blockDim.x + threadIdx.x;
  to[at] = from[at];
}

void launch(const float *in, float *out, const double *from, double *to) {
  smooth<<<dim3(1024 / side, 1024 / side), dim3(side, side)>>>(in, out, 1024, 1024);
  copyRows<<<dim3(64, 128), dim3(8, 32)>>>(from, to, 512);
}
