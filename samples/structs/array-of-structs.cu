// Moves bodies along their velocity.
#include "../common.cuh"

struct Body {
  float x, y, z, mass;
  float vx, vy, vz, charge;
};

__global__ void drift(Body *bodies, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = bodies[i].x;
    float vx = bodies[i].vx;
    bodies[i].x = x + step * vx;
  }
}

int main() {
  const int n = 1 << 22;
  const int threads = 256;
  const float step = 0.5f;
  std::vector<Body> bodies(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    bodies[i] = Body{};
    bodies[i].x = smallInteger(i, 100);
    bodies[i].vx = smallInteger(i + 1, 100);
    expected += bodies[i].x + 12 * step * bodies[i].vx;
  }
  Body *deviceBodies;
  CHECK(cudaMalloc(&deviceBodies, n * sizeof(Body)));
  CHECK(cudaMemcpy(deviceBodies, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    drift<<<(n + threads - 1) / threads, threads>>>(deviceBodies, step, n);
  });

  CHECK(cudaMemcpy(bodies.data(), deviceBodies, n * sizeof(Body), cudaMemcpyDeviceToHost));
  double result = 0;
  for (const Body &body : bodies) result += body.x;
  CHECK(cudaFree(deviceBodies));
  return verdict(result, expected, milliseconds);
}
