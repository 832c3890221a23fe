// Gives each point its distance to the nearest of a few centres, one thread a point.
#include "../common.cuh"

const int centres = 64;

__global__ void nearest(const float *x, const float *y, const float *centreX, const float *centreY, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float least = 1e30f;
  for (int k = 0; k < centres; k++) {
    least = fminf(least, (x[i] - centreX[k]) * (x[i] - centreX[k]) + (y[i] - centreY[k]) * (y[i] - centreY[k]));
  }
  out[i] = least;
}

int main() {
  const int n = 1 << 20, block = 256;
  std::vector<float> x(n), y(n), centreX(centres), centreY(centres), out(n);
  for (int k = 0; k < centres; k++) {
    centreX[k] = smallInteger(k, 900);
    centreY[k] = smallInteger(k + centres, 900);
  }
  double expected = 0;
  for (int i = 0; i < n; i++) {
    x[i] = smallInteger(i, 1000);
    y[i] = smallInteger(i + n, 1000);
    double least = 1e30;
    for (int k = 0; k < centres; k++) {
      double dx = x[i] - centreX[k], dy = y[i] - centreY[k];
      least = std::min(least, dx * dx + dy * dy);
    }
    expected += least;
  }
  float *deviceX, *deviceY, *deviceCentreX, *deviceCentreY, *deviceOut;
  CHECK(cudaMalloc(&deviceX, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceY, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceCentreX, centres * sizeof(float)));
  CHECK(cudaMalloc(&deviceCentreY, centres * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceY, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceCentreX, centreX.data(), centres * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceCentreY, centreY.data(), centres * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    nearest<<<(n + block - 1) / block, block>>>(deviceX, deviceY, deviceCentreX, deviceCentreY, deviceOut, n);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += out[i];
  CHECK(cudaFree(deviceX));
  CHECK(cudaFree(deviceY));
  CHECK(cudaFree(deviceCentreX));
  CHECK(cudaFree(deviceCentreY));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds, 1e-4);
}
