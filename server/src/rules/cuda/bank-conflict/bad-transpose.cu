// Transposes through an unpadded tile.
#define TILE 32
#define ROWS 8

template <class T>
__global__ void transpose(const T *in, T *out, int width, int height) {
  __shared__ T tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];  // down a column
  //                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ column warning
}

void launch(const float *in, float *out) { transpose<float><<<dim3(64, 64), dim3(TILE, ROWS)>>>(in, out, 2048, 2048); }
