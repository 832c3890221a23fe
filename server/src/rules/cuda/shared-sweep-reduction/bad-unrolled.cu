// Unrolled forms: a ladder over a template parameter, and a last warp over a volatile pointer.
#include <cstdio>

template <unsigned int blockSize>
__device__ void lastWarp(volatile int *data, unsigned int tid) {
  if (blockSize >= 64) data[tid] += data[tid + 32];
  if (blockSize >= 32) data[tid] += data[tid + 16];
  if (blockSize >= 16) data[tid] += data[tid + 8];
  if (blockSize >= 8) data[tid] += data[tid + 4];
  if (blockSize >= 4) data[tid] += data[tid + 2];
  if (blockSize >= 2) data[tid] += data[tid + 1];
}

template <unsigned int blockSize>
__global__ void ladder(const int *in, int *out, int n) {
  __shared__ int data[blockSize];
  unsigned int tid = threadIdx.x;
  int sum = 0;
  for (unsigned int i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x) sum += in[i];
  data[tid] = sum;
  __syncthreads();

  if (blockSize >= 512) { if (tid < 256) { data[tid] += data[tid + 256]; } __syncthreads(); }
//^^^^^^^^^^^^^^^^^^^^^ unrolled-sweep
  if (blockSize >= 256) { if (tid < 128) { data[tid] += data[tid + 128]; } __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) { data[tid] += data[tid + 64]; } __syncthreads(); }

  // the sum of the block
  if (tid < 32) lastWarp<blockSize>(data, tid);
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void carried(const double *in, double *out) {
  __shared__ double part[128];
  const int t = threadIdx.x;
  double mine = in[blockIdx.x * 128 + t];
  part[t] = mine;
  __syncthreads();
#pragma unroll
  for (int s = blockDim.x / 2; s > 32; s >>= 1) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unrolled-sweep
    if (t < s) part[t] = mine = mine + part[t + s];
    __syncthreads();
  }
  if (t < 32) {
    volatile double *v = part;
    v[t] = mine = mine + v[t + 32];
    v[t] = mine = mine + v[t + 16];
    v[t] = mine = mine + v[t + 8];
    v[t] = mine = mine + v[t + 4];
    v[t] = mine = mine + v[t + 2];
    v[t] = mine = mine + v[t + 1];
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
