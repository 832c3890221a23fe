// Padded and swizzled tiles, and rows read along the lanes.
constexpr int tileSize = 32;

__global__ void padded(const float *in, float *out, int width) {
  __shared__ float tile[tileSize][tileSize + 1];
  int x = blockIdx.x * tileSize + threadIdx.x, y = blockIdx.y * tileSize + threadIdx.y;
  for (int j = 0; j < tileSize; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  for (int j = 0; j < tileSize; j += 8) out[(blockIdx.x * tileSize + threadIdx.y + j) * width + blockIdx.y * tileSize + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void swizzled(const float *in, float *out, int width) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * width + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * width + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

void launch(const float *in, float *out) {
  padded<<<dim3(32, 32), dim3(32, 8)>>>(in, out, 1024);
  swizzled<<<dim3(32, 32), dim3(32, 32)>>>(in, out, 1024);
}
