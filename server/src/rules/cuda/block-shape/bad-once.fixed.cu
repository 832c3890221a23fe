// Generators are set up once, before the work, whatever the shape.
using Generator = unsigned;

__global__ void setupGenerators(Generator *all, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  Generator one = 1234u + (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4096; k++) one = one * 1664525u + 1013904223u;
  all[(blockIdx.x * blockDim.x + threadIdx.x)] = one;
}

void run(Generator *all, int batch) {
  setupGenerators<<<(batch + 255) / 256, 256>>>(all, batch);
}
