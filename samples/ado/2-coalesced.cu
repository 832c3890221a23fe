// Stage 2: a warp for each element of the average, its lanes along the row; the product as before.
#include "problem.cuh"

__global__ void averageAndMultiply(const float *input, const float *matrix, float *output) {
  __shared__ float average[vectorLength];
  __shared__ float products[vectorLength];
  const int t = threadIdx.x;
  const int set = blockIdx.x;
  const int lane = t % warpSize, warp = t / warpSize;
  for (int row = warp; row < vectorLength; row += blockDim.x / warpSize) {
    float sum = 0.0f;
    for (int vector = lane; vector < vectorsPerSet; vector += warpSize) {
      sum += input[(set * vectorLength + row) * vectorsPerSet + vector];
    }
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) average[row] = sum / vectorsPerSet;
  }
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
