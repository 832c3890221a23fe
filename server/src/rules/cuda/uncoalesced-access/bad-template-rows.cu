// Rows as long as a template's number, which no instance in sight gives: they may have two elements as well as eighty.
template <int D>
__global__ void norms(const float *points, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = 0; d < D; d++) sum += points[i * D + d] * points[i * D + d];
//                                   ^^^^^^^^^^^^^^^^^ row-per-thread warning
  out[i] = sum;
}

template <int D>
void run(const float *points, float *out, int n) { norms<D><<<(n + 255) / 256, 256>>>(points, out, n); }
