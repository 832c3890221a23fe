// What the host does in the loop looks at nothing that the kernels write: it prints, counts in a member, reads its own
// memory, and waits again before it reads a result.
#include <cstdio>
#include <vector>

struct Run { int step; int steps; float *cells; };
__global__ void advance(float *cells, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i] += dt * cells[i];
}
__global__ void largest(const float *cells, int *above, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && cells[i] > 9.0f) *above = 1;
}
float limiter(int step) { return 1.0f / (1 + step); }

void progress(float *cells, int n) {
  for (int k = 0; k < 100; k++) {
    advance<<<(n + 255) / 256, 256>>>(cells, n, limiter(k));
    if (k % 10 == 0) printf("step %d\n", k);
  }
  cudaDeviceSynchronize();
}

void member(Run &run, int n) {
  for (run.step = 0; run.step < run.steps; run.step++) {
    advance<<<(n + 255) / 256, 256>>>(run.cells, n, 0.5f);
  }
  cudaDeviceSynchronize();
}

void table(float *cells, const std::vector<float> &steps, int n) {
  float longest = 0;
  for (size_t k = 0; k < steps.size(); k++) {
    float dt = steps[k];
    if (dt > longest) longest = dt;
    advance<<<(n + 255) / 256, 256>>>(cells, n, dt);
  }
  cudaDeviceSynchronize();
}

void untilLarge(float *cells, int *above, int n) {
  int found[2] = {};
  while (!found[0]) {
    advance<<<(n + 255) / 256, 256>>>(cells, n, 0.25f);
    largest<<<(n + 255) / 256, 256>>>(cells, above, n);
    cudaMemcpy(found, above, sizeof(found), cudaMemcpyDeviceToHost);
  }
}
