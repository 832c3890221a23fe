// Blocks that each make a vector and multiply one matrix by it: the vectors go to memory, and one call has them all.
#include <cuda_runtime.h>
#include <cublas_v2.h>

const int width = 256;

template <typename Work>
void repeat(int times, Work work) {
  for (int i = 0; i < times; i++) work();
}

// Swept in shared memory, in a loop of the host with a stream.
__global__ void bySweeps(const double *input, double *vectors, int rows, int count) {
  __shared__ double vector[width];
  const int t = threadIdx.x;
  double sum = 0;
  for (int i = 0; i < count; i++) sum += input[(i * gridDim.x + blockIdx.x) * width + t];
  vector[t] = sum / count;
  __syncthreads();
  vectors[blockIdx.x * blockDim.x + threadIdx.x] = vector[threadIdx.x];
}

void repeated(const double *input, const double *weights, double *out, int sets, int rows, cudaStream_t stream) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  const double one = 1.0, zero = 0.0;
  double *vectors;
  cudaMalloc(&vectors, sizeof(double) * (2 * sets) * width);
  for (int step = 1; step < 10; step++) {
    bySweeps<<<2 * sets, width, 0, stream>>>(input, vectors, rows, step);
    cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, 2 * sets, width, &one, weights, width, vectors, width, &zero,
                out, rows);
  }
  cudaFree(vectors);
  cublasDestroy(handle);
}

// By shuffles of warps, in a function that is measured.
__global__ void byShuffles(const float *input, float *vectors, int leading, int rows) {
  __shared__ float vector[128];
  const int t = threadIdx.x;
  vector[t] = input[blockIdx.x * 128 + t] * 0.5f;
  __syncthreads();
  vectors[blockIdx.x * blockDim.x + threadIdx.x] = vector[threadIdx.x];
}

void measured(const float *input, const float *matrix, float *out) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1.0f, zero = 0.0f;
  float *vectors;
  cudaMalloc(&vectors, sizeof(float) * 264 * 128);
  repeat(5, [&] {
    byShuffles<<<264, 128>>>(input, vectors, 128, 512);
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 512, 264, 128, &one, matrix, 128, vectors, 128, &zero, out, 512);
  });
  cudaFree(vectors);
  cublasDestroy(handle);
}
