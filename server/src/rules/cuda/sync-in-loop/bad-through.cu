#include <cuda_runtime.h>
#include <stdexcept>

#define CHECK(call) { cudaError_t status = call; if (status != cudaSuccess) throw std::runtime_error("CUDA"); }

__global__ void relax(float *field, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) field[at] = field[at] * 0.5f + 1.0f;
}

void finish() { CHECK(cudaDeviceSynchronize()); }
struct Queue {
  void drain() { cudaDeviceSynchronize(); }
};

void throwing(float *field, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    relax<<<(count + 255) / 256, 256>>>(field, count);
    CHECK(cudaDeviceSynchronize());
//        ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void inFunction(float *field, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    relax<<<(count + 255) / 256, 256>>>(field, count);
    finish();
//  ^^^^^^^^ synchronise warning
  }
}

void inMethod(Queue &queue, float *field, int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    relax<<<(count + 255) / 256, 256>>>(field, count);
    queue.drain();
//  ^^^^^^^^^^^^^ synchronise warning
  }
}
