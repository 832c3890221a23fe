// Brightens a picture, one thread a pixel.
#include "../common.cuh"

__global__ void brighten(const float *in, float *out, int width, int height) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && column < width) {
    out[row * width + column] = in[row * width + column] + 10.0f;
  }
}

int main() {
  const int width = 6000, height = 4000;
  const int side = 16;
  const dim3 block(side, side);
  const dim3 grid((height + side - 1) / side, (width + side - 1) / side);
  const int n = width * height;
  std::vector<float> in(n), out(n);
  double expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = smallInteger(i, 200);
    expected += (in[i] + 10.0) * (i % 3);
  }
  float *deviceIn, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    brighten<<<grid, block>>>(deviceIn, deviceOut, width, height);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0;
  for (int i = 0; i < n; i++) result += static_cast<double>(out[i]) * (i % 3);
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
