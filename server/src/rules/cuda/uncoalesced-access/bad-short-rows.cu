// Four lanes side by side, then the next row: no lane has a row of its own, and the block is as wide as a warp.
__global__ void fragments(const float *in, float *out, int pitch) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int k = 0; k < 8; k++) {
    out[(warp * 8 + lane / 4) * pitch + k * 4 + lane % 4] = in[threadIdx.x + k * 256];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ short-rows warning
  }
}

// Pairs of neighbours with a gap between them, in rows of eight lanes.
__global__ void pairs(const short *in, short *out, int pitch) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int k = 0; k < 2; k++) {
    out[(warp * 8 + lane / 4) * pitch + lane % 4 * 2 + k] = in[threadIdx.x + k * 256];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ short-rows warning
  }
}

void run(const float *in, float *out, const short *few, short *others, int pitch) {
  fragments<<<4224, 256>>>(in, out, pitch);
  pairs<<<4224, 256>>>(few, others, pitch);
}
