// Stage 1: a block for each set, a thread for each element of its average; the product row by row.
#include "problem.cuh"

__global__ void averageAndMultiply(const float *input, const float *matrix, float *output) {
  __shared__ float average[vectorLength];
  __shared__ float products[vectorLength];
  const int t = threadIdx.x;
  const int set = blockIdx.x;
  float sum = 0.0f;
  for (int vector = 0; vector < vectorsPerSet; vector++) {
    sum += input[(set * vectorLength + t) * vectorsPerSet + vector];
  }
  average[t] = sum / vectorsPerSet;
  __syncthreads();
  for (int row = 0; row < vectorLength; row++) {
    products[t] = matrix[row * vectorLength + t] * average[t];
    __syncthreads();
    for (int s = vectorLength / 2; s > 0; s >>= 1) {
      if (t < s) products[t] += products[t + s];
      __syncthreads();
    }
    if (t == 0) output[set * vectorLength + row] = products[0];
    __syncthreads();
  }
}

int main() {
  Problem problem = createProblem();
  float milliseconds = medianMilliseconds(5, [&] {
    averageAndMultiply<<<sets, vectorLength>>>(problem.input, problem.matrix, problem.output);
  });
  return checkProblem(problem, milliseconds);
}
