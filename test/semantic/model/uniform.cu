// Values that all lanes of a warp share although they came from one lane, from memory or through floating point.

// Lane `who` hands its row to the warp; the lanes then walk it together.
__global__ void handedOver(const int *rows, const int *list, int *out) {
  int lane = threadIdx.x % 32;
  int row = rows[blockIdx.x * blockDim.x + threadIdx.x];
  //        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 4/4
  unsigned left = __ballot_sync(0xffffffff, row > 0);
  int who = __ffs(left) - 1;
  int start = __shfl_sync(0xffffffff, row, who);
  out[blockIdx.x * blockDim.x + threadIdx.x] = list[start + lane];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
  //                                           ^^^^^^^^^^^^^^^^^^ load 4/4 assumed
}

// A warp per row, whose start is computed in floating point.
__global__ void floatPerWarp(const float *in, float *out, float width) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * 4 + threadIdx.x / 32;
  int start = (int)floorf(row * width);
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[32 * start + lane];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
  //                                           ^^^^^^^^^^^^^^^^^^^^^ load 4/4
}

// Row and column of a width that is a power of two known at run time.
__global__ void shifted(const float *in, float *out, unsigned width, unsigned pitch) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned column = i & (width - 1);
  unsigned row = i >> (__ffs(width) - 1);
  out[row * pitch + column] = in[i];
//^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4 assumed
  //                          ^^^^^ load 4/4
}

void launches(const int *rows, const int *list, int *out, const float *in, float *f, float width, unsigned w, unsigned pitch) {
  handedOver<<<64, 128>>>(rows, list, out);
  floatPerWarp<<<64, 128>>>(in, f, width);
  shifted<<<64, 128>>>(in, f, w, pitch);
}

// The slab of a thread, at a product of more unknown numbers than a double counts exactly: far apart, and no hash.
__global__ void slabs(float *scratch, int width, int bands, int years) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float *own = &scratch[(x + y * width) * (years + 1) * bands];
  for (int k = 0; k < bands; k++) own[k] = 0.0f;
  //                              ^^^^^^ store 32/4 assumed
}
void launchSlabs(float *scratch, int width, int height, int bands, int years) {
  slabs<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(scratch, width, bands, years);
}
