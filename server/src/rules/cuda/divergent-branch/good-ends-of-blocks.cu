// Rows of a triangle, one a block: where a row ends within a warp is another lane in each block, in most of them none.
__global__ void rowsOfTriangle(const float *in, float *out, int length) {
  int row = blockIdx.x;
  int count = row + 1;
  for (int first = 0; first < length; first += 128) {
    int at = first + 4 * threadIdx.x;
    if (at < count) {
      float sum = 0.0f;
      for (int k = 0; k < 4; k++)
        if (at + k < count) sum += expf(in[row * length + at + k]);
      out[row * length + at] = sum;
    }
  }
}

void launch(const float *in, float *out, int rows) { rowsOfTriangle<<<rows, dim3(32, 4)>>>(in, out, rows); }
