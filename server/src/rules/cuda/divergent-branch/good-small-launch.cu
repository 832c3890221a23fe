// The bounds of a picture, and the one launch in sight is of a picture that fits badly.
__global__ void turn(const float *in, float *out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  if (x < height) {
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
      if (y + k < width) out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
  }
}

void run(const float *in, float *out) { turn<<<dim3(2, 2), dim3(32, 8)>>>(in, out, 40, 41); }
