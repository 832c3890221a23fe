// Distances that double: the modulo form, the strided index, a doubled counter, in one and two dimensions.
#include <cstdio>

#define TX threadIdx.x

__global__ void modulo(const unsigned int *in, unsigned int *out) {
  extern __shared__ unsigned int words[];
  words[TX] = in[blockIdx.x * blockDim.x + TX];
  __syncthreads();
  for (unsigned int step = 1; step < blockDim.x; step *= 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ strided-sweep
    if (TX % (2 * step) == 0) words[TX] ^= words[TX + step];
    __syncthreads();
  }
  if (TX == 0) out[blockIdx.x] = words[0];
}

template <typename T>
__global__ void stridedIndex(const T *__restrict__ in, T *__restrict__ out) {
    __shared__ T cell[256];
    const int lane = threadIdx.y * blockDim.x + threadIdx.x;
    cell[lane] = in[lane];
    for (int width = 1; width < blockDim.x * blockDim.y; width <<= 1) {
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ strided-sweep
        __syncthreads();
        const int first = 2 * width * lane;
        if (first < blockDim.x * blockDim.y)
            cell[first] = cell[first] < cell[first + width] ? cell[first] : cell[first + width];
    }
    __syncthreads();
    if (lane == 0) *out = cell[0];
}

__global__ void masked(const int *in, int *out) {
  __shared__ int bits[128];
  int t = threadIdx.x;
  bits[t] = in[t];
  __syncthreads();
  for (int s = 1; s < 128; s = s * 2) {
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ strided-sweep
    if ((t & (2 * s - 1)) == 0) { bits[t] = bits[t] | bits[t + s]; }
    __syncthreads();
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
