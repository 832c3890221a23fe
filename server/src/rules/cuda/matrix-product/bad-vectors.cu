// Blocks that each make a vector and multiply one matrix by it: the vectors go to memory, and one call has them all.
#include <cuda_runtime.h>

const int width = 256;

template <typename Work>
void repeat(int times, Work work) {
  for (int i = 0; i < times; i++) work();
}

// Swept in shared memory, in a loop of the host with a stream.
__global__ void bySweeps(const double *input, const double *weights, double *out, int rows, int count) {
  __shared__ double vector[width];
  __shared__ double products[width];
  const int t = threadIdx.x;
  double sum = 0;
  for (int i = 0; i < count; i++) sum += input[(i * gridDim.x + blockIdx.x) * width + t];
  vector[t] = sum / count;
  __syncthreads();
  for (int row = 0; row < rows; row++) {
    products[t] = weights[row * width + t] * vector[t];
//                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ blocks
    __syncthreads();
    for (int s = width / 2; s > 0; s >>= 1) {
      if (t < s) products[t] += products[t + s];
      __syncthreads();
    }
    if (t == 0) out[blockIdx.x * rows + row] = products[0];
    __syncthreads();
  }
}

void repeated(const double *input, const double *weights, double *out, int sets, int rows, cudaStream_t stream) {
  for (int step = 1; step < 10; step++) bySweeps<<<2 * sets, width, 0, stream>>>(input, weights, out, rows, step);
}

// By shuffles of warps, in a function that is measured.
__global__ void byShuffles(const float *input, float *out, int leading, int rows, const float *matrix) {
  __shared__ float vector[128];
  __shared__ float sums[4];
  const int t = threadIdx.x;
  vector[t] = input[blockIdx.x * 128 + t] * 0.5f;
  __syncthreads();
  for (int row = 0; row < rows; row++) {
    float product = vector[t] * matrix[row * leading + t];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ blocks
    for (int offset = 16; offset > 0; offset >>= 1) product += __shfl_xor_sync(0xffffffff, product, offset);
    if (t % 32 == 0) sums[t / 32] = product;
    __syncthreads();
    if (t == 0) {
      product = 0;
      for (int warp = 0; warp < 4; warp++) product += sums[warp];
      out[blockIdx.x * 512 + row] = product;
    }
    __syncthreads();
  }
}

void measured(const float *input, const float *matrix, float *out) {
  repeat(5, [&] {
    byShuffles<<<264, 128>>>(input, out, 128, 512, matrix);
  });
}
