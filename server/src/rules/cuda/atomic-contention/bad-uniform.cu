// Places that memory names, read at an address that all lanes share.
__global__ void byList(const int *ids, const float *x, float *sums, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; j++) atomicAdd(&sums[ids[j]], x[i] * j);
//                                       ^^^^^^^^^^^^ global
}

__global__ void byTile(const int *ids, const float *x, float *sums, int n) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = ids[i];
  __syncthreads();
  for (int j = 0; j < 256; j++) {
    int id = tile[j];
    atomicAdd(&sums[id], x[i] * j);
//             ^^^^^^^^ global
  }
}

void run(const int *ids, const float *x, float *sums, int n) {
  byList<<<n / 256, 256>>>(ids, x, sums, n);
  byTile<<<n / 256, 256>>>(ids, x, sums, n);
}
