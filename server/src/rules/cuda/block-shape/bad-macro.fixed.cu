// The size of the block behind a macro, a dim3 and a constant.
#define THREADS_PER_BLOCK 128
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

__global__ void negate(int *values, size_t count) {
  const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count) values[at] = -values[at];
}

void negateAll(int *values, size_t count) {
  negate<<<DIV_UP(count, THREADS_PER_BLOCK), THREADS_PER_BLOCK>>>(values, count);
}

__global__ void fill(float *plane, int width, int height, float value) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) plane[y * width + x] = value;
}

void fillAll(float *plane, int width, int height) {
  dim3 block(16, 16, 1);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  fill<<<grid, block>>>(plane, width, height, 1.0f);
}
