// One word for all lanes, one word for half of them, odd strides, and one lane's walk down a column.
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[(blockIdx.y * 16 + ty) * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
}

__global__ void oddStride(const int *in, int *out) {
  __shared__ int slots[3 * 128];
  slots[3 * threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  int total = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < 12; i++) total += slots[32 * i];
  out[blockIdx.x * 128 + threadIdx.x] = slots[3 * threadIdx.x] + total;
}

void launch(const float *a, const float *b, float *c, const int *in, int *out) {
  product<<<dim3(64, 64), dim3(16, 16)>>>(a, b, c, 1024);
  oddStride<<<64, 128>>>(in, out);
}
