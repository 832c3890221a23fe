// Blocks of 16 × 16: a warp takes 16 bytes from each of two rows. One launch is known to come to the ends of the kernel,
// of the other only its own threads are.
typedef unsigned char byte;

__global__ void darken(const byte *from, byte *to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  to[y * width + x] = from[y * width + x] / 2;
}

__global__ void invert(byte *picture, int pitch, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  picture[y * pitch + x] = 255;
}

void run(const byte *from, byte *to, int width, int height) {
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  darken<<<grid, block>>>(from, to, width, height);
  invert<<<dim3((width / 8 + 1) / 2, (height / 16) * 2), dim3(32, 8)>>>(to, 2 * width, (width / 8) * 16);
}
