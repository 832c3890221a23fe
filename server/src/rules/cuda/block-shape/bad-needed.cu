// Kernels built for their shape: tiles of ten by ten with shared arrays of that size, a thread for each of twelve heads.
const int tile = 10;

__global__ void smoothTiles(const float *in, float *out, int pitch) {
  __shared__ float staged[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  staged[threadIdx.y][threadIdx.x] = in[y * pitch + x];
  __syncthreads();
  out[y * pitch + x] = 0.5f * (staged[threadIdx.y][threadIdx.x] + staged[tile - 1 - threadIdx.y][threadIdx.x]);
}

__global__ void headSums(const float *queries, float *sums, int length) {
  const float *query = queries + blockIdx.x * length * blockDim.x;
  float sum = 0;
  for (int i = 0; i < length; i++) sum += query[i * blockDim.x + threadIdx.x];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void run(const float *in, float *out, int pitch) {
  smoothTiles<<<dim3(100, 100), dim3(tile, tile)>>>(in, out, pitch);
//                              ^^^^^^^^^^^^^^^^ not-warps
  const int heads = 12;
  headSums<<<pitch, heads>>>(in, out, pitch);
//                  ^^^^^ not-warps
}
