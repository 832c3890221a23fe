// Unrolled forms: a ladder over a template parameter, and a last warp over a volatile pointer.
#include <cstdio>

template <unsigned int blockSize>
__global__ void ladder(const int *in, int *out, int n) {
  __shared__ int data[blockSize];
  unsigned int tid = threadIdx.x;
  int sum = 0;
  for (unsigned int i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x) sum += in[i];
  data[tid] = sum;

  {
    __shared__ int warpTotals[32];
    int total = data[tid];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (tid % 32 == 0) warpTotals[tid / 32] = total;
    __syncthreads();
    // the sum of the block
    if (tid < 32) {
      total = tid < blockDim.x / 32 ? warpTotals[tid] : 0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (tid == 0) data[0] = total;
    }
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void carried(const double *in, double *out) {
  __shared__ double part[128];
  const int t = threadIdx.x;
  double mine = in[blockIdx.x * 128 + t];
  part[t] = mine;
  {
    __shared__ double warpTotals[32];
    double total = part[t];
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
    if (t % 32 == 0) warpTotals[t / 32] = total;
    __syncthreads();
    if (t < 32) {
      total = t < blockDim.x / 32 ? warpTotals[t] : 0.0;
      for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
      if (t == 0) part[0] = mine = total;
    }
  }
  if (t == 0) out[blockIdx.x] = mine;
}

int main() {
  const int n = 4096;
  int *in, *out;
  double *fine, *sums;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMallocManaged(&fine, 256 * sizeof(double));
  cudaMallocManaged(&sums, 2 * sizeof(double));
  for (int i = 0; i < n; i++) in[i] = i % 101 - 50;
  for (int i = 0; i < 256; i++) fine[i] = i * 0.25;
  ladder<256><<<4, 256>>>(in, out, n);
  ladder<64><<<4, 64>>>(in, out + 4, n);
  carried<<<2, 128>>>(fine, sums);
  cudaDeviceSynchronize();
  for (int b = 0; b < 8; b++) printf("%d ", out[b]);
  printf("%.2f %.2f\n", sums[0], sums[1]);
  return 0;
}
