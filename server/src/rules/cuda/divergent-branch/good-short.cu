// Short conditional code: clamps, minima, a halo, a sweep.
__global__ void clampAll(const float *in, float *out, float low, float high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = in[i];
    if (v < low) v = low;
    if (v > high) v = high;
    out[i] = v > 0.0f ? v : -v;
  }
}

__global__ void stencil(const float *in, float *out) {
  __shared__ float row[256 + 6];
  int i = blockIdx.x * 256 + threadIdx.x + 3;
  row[threadIdx.x + 3] = in[i];
  if (threadIdx.x < 3) {
    row[threadIdx.x] = in[i - 3];
    row[threadIdx.x + 259] = in[i + 256];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int k = -3; k <= 3; k++) sum += row[threadIdx.x + 3 + k];
  out[i - 3] = sum;
}

__global__ void total(const int *in, int *sums) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

void launch(const float *in, float *out, const int *numbers, int *sums, int n) {
  clampAll<<<(n + 255) / 256, 256>>>(in, out, 0.0f, 1.0f, n);
  stencil<<<n / 256, 256>>>(in, out);
  total<<<n / 256, 256>>>(numbers, sums);
}
