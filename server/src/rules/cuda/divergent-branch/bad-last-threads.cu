// A few threads of one warp finish what the block began: a remark, once and in a loop, and so is a column of a tile that every warp has.
__global__ void totals(const float *in, float *out, int rounds) {
  __shared__ float part[8][16];
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x < 128) part[threadIdx.x / 16][threadIdx.x % 16] = in[(blockIdx.x * rounds + r) * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) {
      for (int k = 1; k < 8; k++) part[0][threadIdx.x] += part[k][threadIdx.x];
    }
    __syncthreads();
  }
  if (threadIdx.x < 8) {
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += part[threadIdx.x][k] * part[0][k];
    out[blockIdx.x * 8 + threadIdx.x] = sum;
  }
}

void launch(const float *in, float *out) { totals<<<1000, 256>>>(in, out, 4); }

__global__ void faces(const float *in, float *out) {
  __shared__ float row[16][16];
  if (threadIdx.x == 15) {
//    ^^^^^^^^^^^^^^^^^ lanes-differ hint
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += in[(blockIdx.x * 16 + threadIdx.y) * 16 + k];
    row[threadIdx.y][0] = sum;
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = row[threadIdx.y][0];
}

void launchFaces(const float *in, float *out) { faces<<<1000, dim3(16, 16)>>>(in, out); }
