// A reciprocal root of each row, beside the loop that does the work.
__global__ void normalise(const float *in, float *out, int rows, int width) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float scale = 1.0f / sqrtf(in[row]);
//                      ^^^^^^^^^^^^^^^^^^^^^ root hint
    for (int x = threadIdx.x; x < width; x += blockDim.x) out[row * width + x] *= scale;
  }
}
void run(const float *in, float *out, int rows, int width) { normalise<<<128, 256>>>(in, out, rows, width); }
