#include <cuda_runtime.h>
#include <stdexcept>
#include <thrust/device_vector.h>

#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) throw std::runtime_error("CUDA"); } while (0)

__global__ void relax(float *field, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) field[at] = field[at] * 0.5f + 1.0f;
}

template <typename T> class Buffer {
public:
  explicit Buffer(size_t count) { CHECK(cudaMalloc(&memory, count * sizeof(T))); }
  ~Buffer() { cudaFree(memory); }
  T *get() { return memory; }

private:
  T *memory;
};

float *take(int count) {
  float *made;
  CHECK(cudaMalloc(&made, count * sizeof(float)));
  return made;
}
void giveBack(float *memory) { CHECK(cudaFree(memory)); }

void object(int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    Buffer<float> partial(count);
//                ^^^^^^^^^^^^^^ allocation warning
    relax<<<(count + 255) / 256, 256>>>(partial.get(), count);
  }
}

void vector(int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    thrust::device_vector<float> partial(count);
//                               ^^^^^^^^^^^^^^ allocation warning
    relax<<<(count + 255) / 256, 256>>>(thrust::raw_pointer_cast(partial.data()), count);
  }
}

void functions(int count, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    float *partial = take(count);
//                   ^^^^^^^^^^^ allocation warning
    relax<<<(count + 255) / 256, 256>>>(partial, count);
    giveBack(partial);
  }
}

// Made once, and under a condition.
void kept(int count, int turns) {
  Buffer<float> partial(count);
  for (int turn = 0; turn < turns; turn++) {
    relax<<<(count + 255) / 256, 256>>>(partial.get(), count);
    if (turn == 3) {
      Buffer<float> other(count);
      relax<<<(count + 255) / 256, 256>>>(other.get(), count);
    }
  }
}
