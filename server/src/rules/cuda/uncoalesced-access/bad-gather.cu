// Elements in an order that stands in memory; a table looked up by a measured value.
__global__ void reorder(const float *in, const int *order, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[order[i]];
//                    ^^^^^^^^^^^^ gather hint
}

__global__ void sample(const float *table, const float *positions, float *out, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int cell = (int)(positions[i] * size);
  out[i] = table[cell];
//         ^^^^^^^^^^^ gather hint
}

void launch(const float *in, const int *order, float *out, const float *positions, int n) {
  reorder<<<(n + 255) / 256, 256>>>(in, order, out, n);
  sample<<<(n + 255) / 256, 256>>>(in, positions, out, n, 4096);
}
