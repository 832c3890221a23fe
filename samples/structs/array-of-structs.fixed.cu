// Moves bodies along their velocity, each property in an array of its own.
#include "../common.cuh"

struct Bodies {
  float *x, *y, *z, *mass;
  float *vx, *vy, *vz, *charge;
};

__global__ void drift(Bodies bodies, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = bodies.x[i];
    float vx = bodies.vx[i];
    bodies.x[i] = x + step * vx;
  }
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  const float step = 0.5f;
  std::vector<float> x(n), vx(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    x[i] = smallInteger(i, 100);
    vx[i] = smallInteger(i + 1, 100);
    expected += x[i] + 12 * step * vx[i];
  }
  Bodies bodies = {};
  CHECK(cudaMalloc(&bodies.x, n * sizeof(float)));
  CHECK(cudaMalloc(&bodies.vx, n * sizeof(float)));
  CHECK(cudaMemcpy(bodies.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(bodies.vx, vx.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    drift<<<(n + threads - 1) / threads, threads>>>(bodies, step, n);
  });

  CHECK(cudaMemcpy(x.data(), bodies.x, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (float position : x) result += position;
  CHECK(cudaFree(bodies.x));
  CHECK(cudaFree(bodies.vx));
  return verdict(result, expected, milliseconds);
}
