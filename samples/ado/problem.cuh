// The task that all stages of this folder solve: average sets of vectors, then multiply each average by one matrix.
#pragma once
#include "../common.cuh"

const int vectorLength = 1024;    // L: elements of a vector, rows and columns of the matrix
const int vectorsPerSet = 2048;   // M: what one average is made of
const int sets = 256;             // N: how many averages there are

// Element `row` of the vectors of one set lie together: input[(set * vectorLength + row) * vectorsPerSet + vector].
__global__ void fillWithSmallIntegers(float *values, size_t n, int below) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    values[i] = smallInteger(i, below);
  }
}

struct Problem {
  float *input, *matrix, *averages, *output;
};

inline Problem createProblem() {
  const size_t inputSize = static_cast<size_t>(sets) * vectorLength * vectorsPerSet;
  const size_t matrixSize = static_cast<size_t>(vectorLength) * vectorLength;
  const size_t outputSize = static_cast<size_t>(sets) * vectorLength;
  Problem problem;
  CHECK(cudaMalloc(&problem.input, inputSize * sizeof(float)));
  CHECK(cudaMalloc(&problem.matrix, matrixSize * sizeof(float)));
  CHECK(cudaMalloc(&problem.averages, outputSize * sizeof(float)));
  CHECK(cudaMalloc(&problem.output, outputSize * sizeof(float)));
  fillWithSmallIntegers<<<1024, 256>>>(problem.input, inputSize, 4);
  fillWithSmallIntegers<<<1024, 256>>>(problem.matrix, matrixSize, 2);
  CHECK(cudaDeviceSynchronize());
  return problem;
}

// Compares a few sets with the host's arithmetic, which is exact here; frees the arrays. The value is main's.
inline int checkProblem(const Problem &problem, float milliseconds) {
  std::vector<float> output(static_cast<size_t>(sets) * vectorLength);
  CHECK(cudaMemcpy(output.data(), problem.output, output.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (size_t set = 0; set < sets; set += 51) {
    std::vector<double> average(vectorLength, 0.0);
    for (size_t row = 0; row < vectorLength; row++) {
      for (size_t vector = 0; vector < vectorsPerSet; vector++) {
        average[row] += smallInteger((set * vectorLength + row) * vectorsPerSet + vector, 4) / static_cast<double>(vectorsPerSet);
      }
    }
    for (size_t row = 0; row < vectorLength; row++) {
      double product = 0;
      for (size_t column = 0; column < vectorLength; column++) {
        product += smallInteger(row * vectorLength + column, 2) * average[column];
      }
      expected += product * (row % 5 + 1);
      result += static_cast<double>(output[set * vectorLength + row]) * (row % 5 + 1);
    }
  }
  CHECK(cudaFree(problem.input));
  CHECK(cudaFree(problem.matrix));
  CHECK(cudaFree(problem.averages));
  CHECK(cudaFree(problem.output));
  return verdict(result, expected, milliseconds);
}
