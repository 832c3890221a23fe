// The tile is handed on by the address of an element: who knows how long its rows are has to be asked before a pad.
__device__ float down(const float *tile, int column) {
  float sum = 0;
  for (int row = 0; row < 32; row++) sum += tile[row * 32 + column];
  return sum;
}

__global__ void turn(const float *in, float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
  //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ column warning
  if (threadIdx.y == 0) out[threadIdx.x] += down(&tile[0][0], threadIdx.x);
}

void launch(const float *in, float *out, int n) { turn<<<n, dim3(32, 32)>>>(in, out); }
