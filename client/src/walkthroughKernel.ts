// What the walkthrough opens: a kernel and an OpenACC loop, each with a finding whose fix is safe.
export const walkthroughKernel = `// A transpose through a tile of shared memory. Reading a column of the tile
// makes all 32 lanes of a warp use the same bank, one after the other.
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

/** Fixed in two steps: first the vector length, then the workers. */
export const walkthroughDirectives = `// A sparse matrix times a vector. A row has at most 27 entries, and nvc gives it 128 vector lanes.
void multiply(int rows, const int *restrict rowStart, const int *restrict columns, const double *restrict values, const double *restrict x, double *restrict y) {
  #pragma acc parallel loop gang present(rowStart, columns, values, x, y)
  for (int row = 0; row < rows; row++) {
    double sum = 0.0;
    // warplens: trip <= 27
    #pragma acc loop vector reduction(+:sum)
    for (int entry = rowStart[row]; entry < rowStart[row + 1]; entry++)
      sum += values[entry] * x[columns[entry]];
    y[row] = sum;
  }
}
`;
