// C = A B in single precision: a block computes 128 by 128 elements, a thread 8 by 8 of them in registers.
#include "../common.cuh"

const int blockTile = 128;
const int depth = 8;
const int perThread = 8;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ __align__(16) float tileA[depth][blockTile + 4];
  __shared__ __align__(16) float tileB[depth][blockTile];
  const int t = threadIdx.y * 16 + threadIdx.x;
  const int firstRow = blockIdx.y * blockTile;
  const int firstColumn = blockIdx.x * blockTile;
  const int rowOfA = t / 2, depthOfA = (t % 2) * 4;
  const int depthOfB = t / 32, columnOfB = (t % 32) * 4;
  const int row = threadIdx.y * perThread;
  const int column = threadIdx.x * perThread;
  float sums[perThread][perThread] = {};

  for (int k = 0; k < n; k += depth) {
    const float4 fromA = *reinterpret_cast<const float4 *>(&a[(firstRow + rowOfA) * n + k + depthOfA]);
    tileA[depthOfA][rowOfA] = fromA.x;
    tileA[depthOfA + 1][rowOfA] = fromA.y;
    tileA[depthOfA + 2][rowOfA] = fromA.z;
    tileA[depthOfA + 3][rowOfA] = fromA.w;
    const float4 fromB = *reinterpret_cast<const float4 *>(&b[(k + depthOfB) * n + firstColumn + columnOfB]);
    *reinterpret_cast<float4 *>(&tileB[depthOfB][columnOfB]) = fromB;
    __syncthreads();

#pragma unroll
    for (int d = 0; d < depth; d++) {
      const float4 a0 = *reinterpret_cast<const float4 *>(&tileA[d][row]);
      const float4 a1 = *reinterpret_cast<const float4 *>(&tileA[d][row + 4]);
      const float4 b0 = *reinterpret_cast<const float4 *>(&tileB[d][column]);
      const float4 b1 = *reinterpret_cast<const float4 *>(&tileB[d][column + 4]);
      const float as[perThread] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float bs[perThread] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < perThread; i++) {
#pragma unroll
        for (int j = 0; j < perThread; j++) sums[i][j] += as[i] * bs[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < perThread; i++) {
    float *out = &c[(firstRow + row + i) * n + firstColumn + column];
    *reinterpret_cast<float4 *>(out) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    *reinterpret_cast<float4 *>(out + 4) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}

int main() {
  const int n = 2048;
  const dim3 block(16, 16);
  const dim3 grid(n / blockTile, n / blockTile);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = smallInteger(i, 10);
    b[i] = smallInteger(i + 5, 10);
  }
  float *deviceA, *deviceB, *deviceC;
  CHECK(cudaMalloc(&deviceA, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceB, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&deviceC, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(deviceA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

  float milliseconds = medianMilliseconds(11, [&] { multiply<<<grid, block>>>(deviceA, deviceB, deviceC, n); });

  CHECK(cudaMemcpy(c.data(), deviceC, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  // The product with a vector of weights checks every element: C w = A (B w).
  std::vector<double> weighted(n, 0.0);
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < n; column++) weighted[row] += static_cast<double>(b[row * n + column]) * (column % 7);
  }
  double result = 0, expected = 0;
  for (int row = 0; row < n; row++) {
    for (int column = 0; column < n; column++) {
      result += static_cast<double>(c[row * n + column]) * (column % 7) * (row % 11);
      expected += static_cast<double>(a[row * n + column]) * weighted[column] * (row % 11);
    }
  }
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  return verdict(result, expected, milliseconds);
}
