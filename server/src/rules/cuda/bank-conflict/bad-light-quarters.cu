// A few lanes of each row move 16 bytes each: quarter warps take their turns, no bank meets twice.
__global__ void stage(const float *a, float *out, int width) {
  __shared__ alignas(16) float tile[16][16];
  int t4 = threadIdx.x * 4;
  if (t4 < 16) *reinterpret_cast<float4 *>(&tile[threadIdx.y][t4]) = *reinterpret_cast<const float4 *>(&a[width * threadIdx.y + t4]);
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// Nothing tells how many threads wide the block is: which rows meet in a warp is open.
__global__ void shapeless(const float *in, float *out) {
  __shared__ float tile[8][33];
  tile[threadIdx.x % 8][threadIdx.x / 8 + 4 * (threadIdx.y % 8)] = in[threadIdx.y * blockDim.x + threadIdx.x];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ other information
  __syncthreads();
  out[threadIdx.y * blockDim.x + threadIdx.x] = tile[threadIdx.y % 8][threadIdx.x % 32];
}

void launch(const float *a, float *out, int width) { stage<<<1, dim3(16, 16)>>>(a, out, width); }
