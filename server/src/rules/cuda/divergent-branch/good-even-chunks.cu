// Loops that take as many iterations in every lane although data say where they start, and tails in a `while` loop.
__global__ void neighbours(const int *indices, const float *values, float *out, int points, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x, j, end;
  if (t >= points) return;
  float sum = values[t];
  j = indices[t];
  end = (j + 1) * n;
  for (int k = j * n; k < end; k++) sum += indices[k] == t ? values[k] : 0.0f;
  for (int k = n * j; k < n * (j + 1); k++) sum += values[k] * values[k + 1];
  out[t] = sum;
}

__device__ size_t rowOf(const void *at) { return (size_t)at & ~((size_t)(32 * sizeof(float)) - 1); }

__global__ void planes(const float *data, const int *first, float *out, int area) {
  __shared__ float sums[256];
  int threads = blockDim.x;
  const float *plane = data + blockIdx.x * area;
  const float *end = plane + area;
  const float *at = (const float *)rowOf(plane) + threadIdx.x;
  sums[threadIdx.x] = 0;
  while (at < end) {
    if (at >= plane) sums[threadIdx.x] += at[0] * at[0];
    at += threads;
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = sums[255 - threadIdx.x];
}

void launch(const int *indices, const float *values, const int *first, float *out, int points, int n) {
  neighbours<<<(points + 255) / 256, 256>>>(indices, values, out, points, n);
  planes<<<points, 256>>>(values, first, out, n);
}
