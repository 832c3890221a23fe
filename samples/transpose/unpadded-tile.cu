// Transposes a square matrix through a tile in shared memory.
#include "../common.cuh"

const int tileSize = 32;
const int rowsPerTurn = 8;

__global__ void transpose(const float *in, float *out, int width) {
  __shared__ float tile[tileSize][tileSize];
  int x = blockIdx.x * tileSize + threadIdx.x;
  int y = blockIdx.y * tileSize + threadIdx.y;
  for (int j = 0; j < tileSize; j += rowsPerTurn) {
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * tileSize + threadIdx.x;
  y = blockIdx.x * tileSize + threadIdx.y;
  for (int j = 0; j < tileSize; j += rowsPerTurn) {
    out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

int main() {
  const int width = 4096;
  const dim3 block(tileSize, rowsPerTurn);
  const dim3 grid(width / tileSize, width / tileSize);
  const size_t n = static_cast<size_t>(width) * width;
  std::vector<float> in(n), out(n);
  for (size_t i = 0; i < n; i++) in[i] = smallInteger(i, 1000);
  float *deviceIn, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, n * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, n * sizeof(float)));
  CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] { transpose<<<grid, block>>>(deviceIn, deviceOut, width); });

  CHECK(cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (size_t y = 0; y < width; y++) {
    for (size_t x = 0; x < width; x++) {
      result += static_cast<double>(out[y * width + x]) * (x % 13);
      expected += static_cast<double>(in[x * width + y]) * (x % 13);
    }
  }
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
