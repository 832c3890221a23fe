// Four lanes side by side, then the next row: no lane has a row of its own, and the block is as wide as a warp.
__global__ void fragments(const float *in, float *out, int pitch) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int k = 0; k < 8; k++) {
    out[(warp * 8 + lane / 4) * pitch + k * 4 + lane % 4] = in[threadIdx.x + k * 256];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ short-rows information
  }
}

void run(const float *in, float *out, int pitch) { fragments<<<264, 256>>>(in, out, pitch); }
