// A matrix of 2,000 rows of 2,000 times a vector.
#include "../fixes/timing.cuh"

__global__ void multiply(const float *matrix, const float *vec, float *product, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float total = 0;
  for (int c = lane; c < n; c += 32) total += matrix[row * n + c] * vec[c];
  for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
  if (lane == 0) product[row] = total;
}

int main() {
  const int n = 2000;
  const float *matrix = numbers(size_t(n) * n), *vec = numbers(n);
  float *product = numbers(n);
  return timed([&] { multiply<<<(n + 3) / 4, 128>>>(matrix, vec, product, n); }, product, n);
}
