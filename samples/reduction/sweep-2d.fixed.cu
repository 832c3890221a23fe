// The largest value of every 32 by 16 tile of a picture.
#include "../common.cuh"

const int tileWidth = 32;
const int tileHeight = 16;

__global__ void largestOfTiles(const int *picture, int *largest, int width) {
  __shared__ int best[tileHeight];
  int x = blockIdx.x * tileWidth + threadIdx.x;
  int y = blockIdx.y * tileHeight + threadIdx.y;
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  int value = picture[y * width + x];
  for (int offset = 16; offset > 0; offset >>= 1) value = max(value, __shfl_down_sync(0xffffffff, value, offset));
  if (threadIdx.x == 0) best[threadIdx.y] = value;
  __syncthreads();
  if (t < 32) {
    value = best[t % tileHeight];
    for (int offset = 16; offset > 0; offset >>= 1) value = max(value, __shfl_down_sync(0xffffffff, value, offset));
  }
  if (t == 0) largest[blockIdx.y * gridDim.x + blockIdx.x] = value;
}

int main() {
  const int width = 4096, height = 4096;
  const dim3 block(tileWidth, tileHeight);
  const dim3 grid(width / tileWidth, height / tileHeight);
  std::vector<int> picture(width * height), largest(grid.x * grid.y);
  for (int i = 0; i < width * height; i++) picture[i] = smallInteger(i, 1000000);
  int *devicePicture, *deviceLargest;
  CHECK(cudaMalloc(&devicePicture, picture.size() * sizeof(int)));
  CHECK(cudaMalloc(&deviceLargest, largest.size() * sizeof(int)));
  CHECK(cudaMemcpy(devicePicture, picture.data(), picture.size() * sizeof(int), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] { largestOfTiles<<<grid, block>>>(devicePicture, deviceLargest, width); });

  CHECK(cudaMemcpy(largest.data(), deviceLargest, largest.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> expectedLargest(largest.size(), 0);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      int &best = expectedLargest[y / tileHeight * (width / tileWidth) + x / tileWidth];
      best = std::max(best, picture[y * width + x]);
    }
  }
  double result = 0, expected = 0;
  for (size_t tile = 0; tile < largest.size(); tile++) {
    result += static_cast<double>(largest[tile]) * (tile % 11);
    expected += static_cast<double>(expectedLargest[tile]) * (tile % 11);
  }
  CHECK(cudaFree(devicePicture));
  CHECK(cudaFree(deviceLargest));
  return verdict(result, expected, milliseconds);
}
