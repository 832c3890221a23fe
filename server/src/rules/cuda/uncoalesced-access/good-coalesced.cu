// Grid-stride loops, offsets, broadcasts, whole sectors: nothing to say.
#define FULL 0xffffffffu

__global__ void add(const float *a, const float *b, float *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum[i] = a[i] + b[i];
}

// Misaligned by one element: a sector more, never worth a word.
__global__ void difference(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = in[i + 1] - in[i];
}

// One warp a row: the lanes run along it.
__global__ void rowSums(const float *matrix, const float *scale, float *sums, int columns) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  float total = 0.0f;
  for (int c = lane; c < columns; c += 32) total += matrix[row * columns + c];
  for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(FULL, total, d);
  if (lane == 0) sums[row] = total * scale[row];
}

void launch(const float *a, const float *b, float *sum, int n) {
  add<<<1024, 256>>>(a, b, sum, n);
  difference<<<(n + 255) / 256, 256>>>(a, sum, n);
  rowSums<<<n / 8, 256>>>(a, b, sum, 1000);
}
