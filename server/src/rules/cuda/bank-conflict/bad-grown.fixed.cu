// A row that is an extent and a number grows by a larger number.
#define TILE 31

__global__ void transposed(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[TILE + 1][TILE + 2];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *out, const float *in) {
  transposed<<<4096, dim3(32, 32)>>>(out, in);
}
