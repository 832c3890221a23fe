// Sums the columns of a matrix; each sum lies in global memory from row to row.
#include "../common.cuh"

__global__ void sumColumns(const float *in, float *out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < columns) {
    out[column] = 0.0f;
    for (int row = 0; row < rows; row++) {
      out[column] += in[row * columns + column];
    }
  }
}

int main() {
  const int rows = 256, columns = 1 << 18, block = 256;
  std::vector<float> in(static_cast<size_t>(rows) * columns), out(columns);
  for (size_t i = 0; i < in.size(); i++) in[i] = smallInteger(i, 16);
  float *deviceIn, *deviceOut;
  CHECK(cudaMalloc(&deviceIn, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceOut, columns * sizeof(float)));
  CHECK(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] {
    sumColumns<<<(columns + block - 1) / block, block>>>(deviceIn, deviceOut, rows, columns);
  });

  CHECK(cudaMemcpy(out.data(), deviceOut, columns * sizeof(float), cudaMemcpyDeviceToHost));
  double result = 0, expected = 0;
  for (float each : out) result += each;
  for (float each : in) expected += each;
  CHECK(cudaFree(deviceIn));
  CHECK(cudaFree(deviceOut));
  return verdict(result, expected, milliseconds);
}
