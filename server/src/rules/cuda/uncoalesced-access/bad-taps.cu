// What a thread stores one after the other, as far apart as a number out of sight says: taps of a filter, or long rows.
__global__ void unfold(const float *in, float *out, int taps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < taps; k++) out[i * taps + k] = in[i + k];
//                               ^^^^^^^^^^^^^^^^^ row-per-thread warning
}

__global__ void signs(const float *in, float *kept, int rows, int width) {
  for (int row = threadIdx.y + blockIdx.y * blockDim.y; row < rows; row += blockDim.y * gridDim.y) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < width) kept[column * rows + row] = in[row * width + column] > 0 ? 1.0f : -1.0f;
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^ slow-axis warning
  }
}

void run(const float *in, float *out, float *kept, int taps, int n) {
  unfold<<<(n + 255) / 256, 256>>>(in, out, taps, n);
  signs<<<dim3((n + 31) / 32, 64), dim3(32, 8)>>>(in, kept, taps, n);
}
