constexpr int rows = 1 << 20;

__global__ void scale(float *x, int n) {
  int i = blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}

template <int most> __global__ void __launch_bounds__(most) few(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

__global__ void staged(float *x, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  x[i] = tile[threadIdx.x] + 1.0f;
}

void launch(float *x, int n) {
  const dim3 deep(1, 4, 128);
  scale<<<n / 512, deep>>>(x, n);
  //               ^^^^ block-depth
  dim3 grid(1, rows);
  scale<<<grid, 256>>>(x, n);
  //      ^^^^ grid-axis
  scale<<<dim3(1, 1, 70000), 256>>>(x, n);
  //      ^^^^^^^^^^^^^^^^^ grid-axis
  few<256><<<n / 512, 512>>>(x, n);
  //                  ^^^ launch-bounds
  staged<<<n / 256, 256, 16 * 1024 * sizeof(float)>>>(x, n);
  //                     ^^^^^^^^^^^^^^^^^^^^^^^^^ shared-memory
  staged<<<n / 256, 256, 256 << 10>>>(x, n);
  //                     ^^^^^^^^^ shared-memory-at-all
}
