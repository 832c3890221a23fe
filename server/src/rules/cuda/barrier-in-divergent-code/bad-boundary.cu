// A barrier inside the boundary guard, and two behind one early return, of which the first speaks.
#define BLOCK 128

__global__ void reverseBlocks(const int *in, int *out, int n) {
  __shared__ int staged[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    staged[threadIdx.x] = in[i];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ in-last-guard hint
    out[i] = staged[BLOCK - 1 - threadIdx.x];
  }
}

template <int SIZE>
__global__ void blockSum(const float *in, float *sums, int n) {
  __shared__ float partial[SIZE];
  const int i = blockIdx.x * SIZE + threadIdx.x;
  if (i >= n) return;
  partial[threadIdx.x] = in[i];
  __syncthreads();
//^^^^^^^^^^^^^^^ after-return-possible hint
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int k = 0; k < SIZE; k++) total += partial[k];
    sums[blockIdx.x] = total;
  }
  __syncthreads();
  partial[threadIdx.x] = 0.0f;
}

void launch(const int *in, int *out, const float *values, float *sums, int n) {
  reverseBlocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
  blockSum<256><<<(n + 255) / 256, 256>>>(values, sums, n);
}
