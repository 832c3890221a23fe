// Boundary guards, one lane's epilogue, warps that part as a whole.
__global__ void guarded(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int k = 0; k < 16; k++) sum += in[(y * 16 + k) * width + x];
  out[y * width + x] = sum;
}

__global__ void epilogue(const float *in, float *sums, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 0; k < 8; k++) sums[blockIdx.x * 8 + k] = total * k;
  }
}

__global__ void roles(const float *in, float *out) {
  int warp = threadIdx.x / 32;
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (warp == 0) { for (int k = 0; k < 100; k++) v = sinf(v); }
  else { for (int k = 0; k < 100; k++) v = cosf(v); }
  if ((threadIdx.x >> 5) & 1) for (int k = 0; k < 30; k++) v = v * v + 1.0f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

void launch(const float *in, float *out, int n) {
  guarded<<<dim3(32, 256), dim3(32, 8)>>>(in, out, 1000, 2000);
  epilogue<<<64, 256>>>(in, out, n);
  roles<<<64, 256>>>(in, out);
}
