// The first lanes of every warp carry on alone.
__global__ void prefixWork(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  float v = in[i];
  if (lane < 5) {
//    ^^^^^^^^ lanes-differ warning
    for (int k = 0; k < 64; k++) v = v * 0.99f + in[(i + k * 1024) % n];
  }
  out[i] = v;
}

// The lanes at the edge of a tile have no work of their own: a halo.
__global__ void inner(const float *in, float *out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 240 + threadIdx.x;
  tile[threadIdx.x] = in[i % n];
  __syncthreads();
  float v = 0;
  if (8 <= threadIdx.x && threadIdx.x < 256 - 8) {
    for (int row = 0; row < n; row++)
      for (int k = -8; k < 8; k++) v = v * 0.99f + tile[threadIdx.x + k] * in[(i + k * 1024 + row) % n];
    out[i] = v;
  }
}

void launch(const float *in, float *out, int n) {
  prefixWork<<<256, 256>>>(in, out, n);
  inner<<<256, 256>>>(in, out, n);
}
