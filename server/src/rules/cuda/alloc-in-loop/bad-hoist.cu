// The same buffers are allocated, filled and freed on each iteration; a main prints what comes out.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(status)); exit(1); } } while (0)

__global__ void scale(float *values, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

double process(std::vector<float> &host, int turns) {
  const int n = static_cast<int>(host.size());
  const size_t bytes = n * sizeof(float);
  double total = 0;
  for (int turn = 0; turn < turns; turn++) {
    float *device;  // one batch
    CHECK(cudaMalloc(&device, bytes));  // on the GPU
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
    CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
    scale<<<(n + 255) / 256, 256>>>(device, 0.5f, n);
    CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));  // and back
    total += host[turn];
  }
  return total;
}

// Two loops: the pair moves out of both.
void sweeps(float *host, int n, int rounds, int parts) {
  float *part = nullptr;
  for (int round = 0; round < rounds; ++round) {
    for (int p = 0; p < parts; ++p) {
      cudaMalloc((void **)&part, sizeof(float) * n);
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
      cudaMemset(part, 0, n * sizeof(float));
      scale<<<n / 256, 256>>>(part, 2.0f, n);
      cudaMemcpy(host + p * n, part, n * sizeof(float), cudaMemcpyDeviceToHost);
      cudaFree(part);
    }
  }
}

int main() {
  std::vector<float> host(1 << 12, 64.0f), parts(4 << 10, 1.0f);
  double total = process(host, 6);
  sweeps(parts.data(), 1 << 10, 2, 4);
  double rest = 0;
  for (float value : parts) rest += value;
  printf("%.4f %.1f\n", total, rest);
  return 0;
}
