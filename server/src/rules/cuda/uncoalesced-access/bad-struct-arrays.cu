// Fields of structures whose arrays the file makes, fills, reads and frees itself.
#include <cstddef>
#include <cstdio>

struct Body {
  float x, y, z;
  double mass;
  float vx, vy, vz;
};

// Moves them.
__global__ void drift(Body *bodies, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bodies[i].x += step * bodies[i].vx;
//^^^^^^^^^^^ struct-field warning
}

__global__ void heavier(const Body *__restrict__ bodies, float *heavy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) heavy[i] = bodies[i].mass > bodies[i + 1].mass;
//                          ^^^^^^^^^^^^^^ struct-field warning
}

void run(Body *bodies, float *heavy, int n) {
  Body *onGpu = nullptr, *unused;
  const size_t bytes = n * sizeof(Body);
  if (cudaMalloc(&onGpu, bytes) != cudaSuccess) return;
  cudaMalloc((void **)&unused, bytes);
  cudaError_t error = cudaMemcpy(onGpu, bodies, bytes, cudaMemcpyHostToDevice);
  for (int step = 0; step < 100; step++) drift<<<(n + 255) / 256, 256>>>(onGpu, 0.5f, n);
  heavier<<<(n + 255) / 256, 256>>>(onGpu, heavy, n);
  if (error == cudaSuccess) error = cudaMemcpy(bodies, onGpu, sizeof(Body) * n, cudaMemcpyDeviceToHost);
  cudaFree(onGpu);
  cudaFree(unused);
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
}
