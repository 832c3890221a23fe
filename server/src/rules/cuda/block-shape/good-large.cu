// Large blocks that are no matter of how many there are.
__global__ void oneEach(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}

// A block for each row: how many blocks there are hangs on the rows.
__global__ void rowOfEach(const float *in, float *out, int columns) {
  for (int k = threadIdx.x; k < columns; k += blockDim.x) out[blockIdx.x * columns + k] = in[blockIdx.x * columns + k];
}

__global__ void counted(const float *in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < rows; k++) sum += in[k * n + i];
  out[i] = sum;
}

void run(const float *in, float *out, int n, int rows) {
  oneEach<<<(n + 511) / 512, 512>>>(in, out, n);
  rowOfEach<<<rows, 1024>>>(in, out, n);
  counted<<<(n + 255) / 256, 256>>>(in, out, n, rows);
  counted<<<4096, 512>>>(in, out, 4096 * 512, rows);
}
