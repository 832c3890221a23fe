// No launch is known: the block is as large as the shared arrays have room for, where no condition holds a thread back.
__global__ void halo(const float *in, float *out, int width) {
  __shared__ float tile[18][18];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  tile[threadIdx.y + 1][1 + threadIdx.x] = in[y * width + x];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 2/1
//                                         ^^^^^^^^^^^^^^^^^ load 4/4 assumed
}
__global__ void named(const float *in, float *out) {
  __shared__ float tile[8][9];
  int column = threadIdx.x;
  tile[threadIdx.y][column] = in[threadIdx.y * 8 + column];
//^^^^^^^^^^^^^^^^^^^^^^^^^ store 2/1
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 4/4 assumed
}
__global__ void row(const float *in, float *out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x * blockDim.x];
//^^^^^^^^^^^^^^^^ store 1/1
//                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 32/4
  __syncthreads();
  out[blockDim.x] = row[0];
//                  ^^^^^^ load 1/1
//^^^^^^^^^^^^^^^ store 1/1
}
__global__ void guarded(const float *in, float *out) {
  __shared__ float tile[8][9];
  if (threadIdx.x < 8) tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 1/1 assumed
//                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 1/1 assumed
}
