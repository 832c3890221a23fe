// Distances that double: the modulo form, the strided index, a doubled counter, in one and two dimensions.
#include <cstdio>

#define TX threadIdx.x

__global__ void modulo(const unsigned int *in, unsigned int *out) {
  extern __shared__ unsigned int words[];
  words[TX] = in[blockIdx.x * blockDim.x + TX];
  {
    __shared__ unsigned int warpTotals[32];
    unsigned int total = words[TX];
    for (int offset = 16; offset > 0; offset >>= 1) total ^= __shfl_down_sync(0xffffffff, total, offset);
    if (TX % 32 == 0) warpTotals[TX / 32] = total;
    __syncthreads();
    if (TX < 32) {
      total = TX < blockDim.x / 32 ? warpTotals[TX] : 0u;
      for (int offset = 16; offset > 0; offset >>= 1) total ^= __shfl_down_sync(0xffffffff, total, offset);
      if (TX == 0) words[0] = total;
    }
  }
  if (TX == 0) out[blockIdx.x] = words[0];
}

template <typename T>
__global__ void stridedIndex(const T *__restrict__ in, T *__restrict__ out) {
    __shared__ T cell[256];
    const int lane = threadIdx.y * blockDim.x + threadIdx.x;
    cell[lane] = in[lane];
    {
        __shared__ T warpTotals[32];
        T total = cell[lane];
        for (int offset = 16; offset > 0; offset >>= 1) {
            const T other = __shfl_down_sync(0xffffffff, total, offset);
            if (other < total) total = other;
        }
        if (lane % 32 == 0) warpTotals[lane / 32] = total;
        __syncthreads();
        if (lane < 32) {
            total = lane < (blockDim.x * blockDim.y) / 32 ? warpTotals[lane] : warpTotals[0];
            for (int offset = 16; offset > 0; offset >>= 1) {
                const T other = __shfl_down_sync(0xffffffff, total, offset);
                if (other < total) total = other;
            }
            if (lane == 0) cell[0] = total;
        }
    }
    __syncthreads();
    if (lane == 0) *out = cell[0];
}

__global__ void masked(const int *in, int *out) {
  __shared__ int bits[128];
  int t = threadIdx.x;
  bits[t] = in[t];
  {
    __shared__ int warpTotals[32];
    int total = bits[t];
    for (int offset = 16; offset > 0; offset >>= 1) total |= __shfl_down_sync(0xffffffff, total, offset);
    if (t % 32 == 0) warpTotals[t / 32] = total;
    __syncthreads();
    if (t < 32) {
      total = t < blockDim.x / 32 ? warpTotals[t] : 0;
      for (int offset = 16; offset > 0; offset >>= 1) total |= __shfl_down_sync(0xffffffff, total, offset);
      if (t == 0) bits[0] = total;
    }
  }
  if (t == 0) out[0] = bits[0];
}

int main() {
  unsigned int *words, *folded;
  int *numbers, *result;
  cudaMallocManaged(&words, 1024 * sizeof(unsigned int));
  cudaMallocManaged(&folded, 4 * sizeof(unsigned int));
  cudaMallocManaged(&numbers, 256 * sizeof(int));
  cudaMallocManaged(&result, 2 * sizeof(int));
  for (int i = 0; i < 1024; i++) words[i] = i * 2654435761u;
  for (int i = 0; i < 256; i++) numbers[i] = (i * 37 + 11) % 1009 + 3;
  modulo<<<4, 256, 256 * sizeof(unsigned int)>>>(words, folded);
  stridedIndex<int><<<1, dim3(16, 16)>>>(numbers, result);
  masked<<<1, 128>>>(numbers, result + 1);
  cudaDeviceSynchronize();
  printf("%u %u %u %u %d %d\n", folded[0], folded[1], folded[2], folded[3], result[0], result[1]);
  return 0;
}
