// Each thread updates its own element, in lines, planes and grid-stride loops: no other thread comes to it.
// trades for: cuda/accumulate-in-memory sum
__global__ void gather(const float *in, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum[i], in[i] * 2.0f);
//                      ^^^^^^ own hint
}

__global__ void columns(const float *in, float *sum, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int row = 0; row < rows; row++) sum[i] += in[row * n + i];
}

__global__ void plane(const int *in, int *counts, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  atomicOr(&counts[y * width + x], in[y * width + x]);
//          ^^^^^^^^^^^^^^^^^^^^^ own hint
}

__global__ void strided(const int *in, unsigned *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    if (in[i] > 0) atomicAdd(&counts[i], 1u);
//                            ^^^^^^^^^ own hint
}

void run(const float *in, float *sum, const int *x, int *counts, unsigned *u, int n, int w, int h) {
  gather<<<(n + 255) / 256, 256>>>(in, sum, n);
  columns<<<(n + 255) / 256, 256>>>(in, sum, n, h);
  plane<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(x, counts, w, h);
  strided<<<264, 256>>>(x, u, n);
}
