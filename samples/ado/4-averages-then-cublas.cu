// Stage 4: a kernel for the averages alone, and one matrix-matrix product by cuBLAS for all sets together.
#include "problem.cuh"
#include <cublas_v2.h>

__global__ void averageSets(const float *input, float *averages) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = t % warpSize;
  const int element = t / warpSize;
  if (element >= sets * vectorLength) return;
  float sum = 0.0f;
  for (int vector = lane; vector < vectorsPerSet; vector += warpSize) {
    sum += input[element * vectorsPerSet + vector];
  }
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) averages[element] = sum / vectorsPerSet;
}

int main() {
  Problem problem = createProblem();
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
  const int threads = 256;
  const int blocks = (sets * vectorLength * 32 + threads - 1) / threads;
  const float one = 1.0f, zero = 0.0f;

  float milliseconds = medianMilliseconds(5, [&] {
    averageSets<<<blocks, threads>>>(problem.input, problem.averages);
    // Both matrices lie in rows; read as columns they are transposed: output^T = matrix averages^T.
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, vectorLength, sets, vectorLength, &one, problem.matrix, vectorLength,
                problem.averages, vectorLength, &zero, problem.output, vectorLength);
  });

  cublasDestroy(handle);
  return checkProblem(problem, milliseconds);
}
