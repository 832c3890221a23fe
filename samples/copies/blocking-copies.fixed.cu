// Sends a long vector through the GPU in pieces: copy in, square, copy out.
#include "../common.cuh"

__global__ void square(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * values[i];
}

int main() {
  const int pieces = 16;
  const int perPiece = 1 << 20;
  const int threads = 256;
  const size_t n = static_cast<size_t>(pieces) * perPiece;
  float *in, *out;
  CHECK(cudaMallocHost(&in, n * sizeof(float)));
  CHECK(cudaMallocHost(&out, n * sizeof(float)));
  double expected = 0;
  for (size_t i = 0; i < n; i++) {
    in[i] = smallInteger(i, 100);
    expected += static_cast<double>(in[i]) * in[i];
  }
  float *device;
  CHECK(cudaMalloc(&device, n * sizeof(float)));

  auto squareAll = [&] {
    for (int piece = 0; piece < pieces; piece++) {
      const size_t first = static_cast<size_t>(piece) * perPiece;
      CHECK(cudaMemcpyAsync(device + first, in + first, perPiece * sizeof(float), cudaMemcpyHostToDevice));
      square<<<(perPiece + threads - 1) / threads, threads>>>(device + first, perPiece);
      CHECK(cudaMemcpyAsync(out + first, device + first, perPiece * sizeof(float), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaDeviceSynchronize());
  };
  float milliseconds = medianMilliseconds(11, squareAll);

  double result = 0;
  for (size_t i = 0; i < n; i++) result += out[i];
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return verdict(result, expected, milliseconds);
}
