// How many lanes take part changes with a loop of unknown length, of which only the first iterations were run.
__global__ void triangle(const float *in, float *out, int rows) {
  int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int row = 0; row < rows; row++) {
    if (lane <= row) {
      for (int k = 0; k < 8; k++) sum += in[row * 256 + k * 32 + lane] * in[k * 32 + lane];
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void launch(const float *in, float *out, int rows) { triangle<<<4096, 256>>>(in, out, rows); }
