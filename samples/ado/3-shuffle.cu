// Stage 3: the product of a row is summed up by warp shuffles, in two steps.
#include "problem.cuh"

__global__ void averageAndMultiply(const float *input, const float *matrix, float *output) {
  __shared__ float average[vectorLength];
  __shared__ float warpSums[vectorLength / 32];
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
    float product = matrix[row * vectorLength + t] * average[t];
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
    if (lane == 0) warpSums[warp] = product;
    __syncthreads();
    if (warp == 0) {
      product = warpSums[lane];
      for (int offset = warpSize / 2; offset > 0; offset >>= 1) product += __shfl_down_sync(0xffffffff, product, offset);
      if (lane == 0) output[set * vectorLength + row] = product;
    }
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
