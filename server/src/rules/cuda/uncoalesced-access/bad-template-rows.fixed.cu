// Rows as long as a template's number, which no instance in sight gives: they may have two elements as well as eighty.
template <int D>
__global__ void norms(const float *points, float *out, int n) {
  const int lane = threadIdx.x % 32;
  const int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = lane; d < D; d += 32) sum += points[i * D + d] * points[i * D + d];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) out[i] = sum;
}

template <int D>
void run(const float *points, float *out, int n) { norms<D><<<((n + 255) / 256) * 32, 256>>>(points, out, n); }
