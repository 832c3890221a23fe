#include <cuda_runtime.h>
#include <cstdio>
#include <thrust/device_vector.h>

__global__ void smooth(float *out, const float *in, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) out[at] = in[at] * 0.5f;
}

float smoothOnce(const float *in, int count) {
  float *scratch;
  float first;
  size_t bytes = count * sizeof(float);
  cudaMalloc(&scratch, bytes);
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  cudaMemcpy(&first, scratch, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(scratch);
  return first;
}

// One line for a call is no table of results.
float lineOf(const float *in, int count) {
  float *scratch;
  cudaMalloc(&scratch, count * sizeof(float));
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  cudaFree(scratch);
  printf("smoothed %d\n", count);
  return 0;
}

float sum(const float *in, int count, int turns) {
  float total = 0;
  for (int turn = 0; turn < turns; turn++) total += smoothOnce(in, count);
//                                                  ^^^^^^^^^^^^^^^^^^^^^ allocation warning
  int turn = 0;
  do {
    total += lineOf(in, count);
//           ^^^^^^^^^^^^^^^^^ allocation warning
  } while (++turn < turns);
  return total;
}

// Two calls further down, and of another size in each call: the first argument is what changes.
void below(int step, const float *in, int count) { smoothOnce(in + step, count); }
void above(const float *in, int count, int turns) {
  int step = 0;
  while (step < turns) {
    below(step, in, count);
//  ^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    step++;
  }
}

void filled(float *out, const float *in, int count) {
  thrust::device_vector<float> partial(count);
  smooth<<<(count + 255) / 256, 256>>>(thrust::raw_pointer_cast(partial.data()), in, count);
}
struct Solver {
  int cells;
  float *field;
  void advance();
  void run(int steps);
};
void Solver::advance() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  smooth<<<(cells + 255) / 256, 256, 0, stream>>>(field, field, cells);
  cudaStreamDestroy(stream);
}
void Solver::run(int steps) {
  for (int step = 0; step < steps; step++) {
    this->advance();
//  ^^^^^^^^^^^^^^^ creation warning
  }
}

void vectors(float *out, const float *in, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    filled(out, in, count);
//  ^^^^^^^^^^^^^^^^^^^^^^ allocation warning
  }
}
