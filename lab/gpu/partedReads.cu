// Neighbouring reads of shared memory that a layout with a division or an exclusive or parts: nvcc -O3 -arch=sm_90
// partedReads.cu && ./a.out prints microseconds of a product with 8 x 8 elements a thread, as it is (two reads of 16
// bytes from each operand an iteration), spread by one element in 32, and with exchanged columns.
#include <cstdio>

enum { Plain, Spread, Exchanged };

template <int L> __device__ int placeOf(int at) {
  if (L == Spread) return at + at / 32;
  if (L == Exchanged) return at ^ (at / 32 % 2 * 4);
  return at;
}

template <int L> __global__ void product(const float *left, const float *right, float *out, int n) {
  __shared__ float rows[8][128], columns[8][128 + 4];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum[8][8] = {};
  for (int from = 0; from < n; from += 8) {
    for (int at = threadIdx.x; at < 8 * 128; at += blockDim.x) {
      rows[at / 128][at % 128] = left[(from + at / 128) * n + blockIdx.y * 128 + at % 128];
      columns[at / 128][placeOf<L>(at % 128)] = right[(from + at / 128) * n + blockIdx.x * 128 + at % 128];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sum[i][j] += rows[k][y * 8 + i] * columns[k][placeOf<L>(x * 8 + j)];
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) out[(blockIdx.y * 128 + y * 8 + i) * n + blockIdx.x * 128 + x * 8 + j] = sum[i][j];
}

template <int L> void time(const char *name, const float *left, const float *right, float *out, int n) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const dim3 grid(n / 128, n / 128);
  for (int warmUp = 0; warmUp < 3; warmUp++) product<L><<<grid, 256>>>(left, right, out, n);
  cudaEventRecord(begin);
  for (int run = 0; run < 20; run++) product<L><<<grid, 256>>>(left, right, out, n);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, begin, end);
  printf("%-9s %7.1f us %s\n", name, milliseconds * 50, cudaGetErrorString(cudaGetLastError()));
}

int main() {
  const int n = 2048;
  float *left, *right, *out;
  cudaMalloc(&left, n * n * sizeof(float));
  cudaMalloc(&right, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemset(left, 0, n * n * sizeof(float));
  cudaMemset(right, 0, n * n * sizeof(float));
  time<Plain>("plain", left, right, out, n);
  time<Spread>("spread", left, right, out, n);
  time<Exchanged>("exchanged", left, right, out, n);
}
