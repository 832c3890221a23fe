// Elements that other threads come to: rows and columns without a guard, blocks of another axis, other accesses.
__global__ void unguarded(const float *in, float *sum, int pitch, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + y < n) atomicAdd(&sum[y * pitch + x], in[x + y]);
}

__global__ void parts(const float *in, float *sum, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum[i], in[blockIdx.y * n + i]);
}

__global__ void neighbours(const float *in, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= n) return;
  atomicAdd(&sum[i], in[i]);
  atomicAdd(&sum[i + 1], in[i]);
}

__global__ void ofBlock(const float *in, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) atomicAdd(&sum[threadIdx.x + k], in[i]);
}

__global__ void halves(const float *in, float *sum) {
  atomicAdd(&sum[blockIdx.x * 128 + threadIdx.x], in[blockIdx.x * 256 + threadIdx.x]);
}

void run(const float *in, float *sum, int n, int m) {
  unguarded<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(in, sum, n, m);
  parts<<<dim3((n + 255) / 256, 8), 256>>>(in, sum, n, m);
  neighbours<<<(n + 255) / 256, 256>>>(in, sum, n);
  ofBlock<<<(n + 255) / 256, 256>>>(in, sum, n);
  halves<<<n / 256, 256>>>(in, sum);
}
