// The kernel that the walkthrough opens: small enough to read at a glance, with a finding whose fix is safe.
export const walkthroughKernel = `// A transpose through a tile of shared memory. Reading a column of the tile
// makes all 32 lanes of a warp ask the same bank, one after the other.
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

void launchTranspose(const float* in, float* out, int n) {
  dim3 block(kTile, kTile);
  dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  transpose<<<grid, block>>>(in, out, n);
}
`;
