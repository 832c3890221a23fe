__global__ void positives(const float *__restrict__ in, float *__restrict__ out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < rows; k++) {
    if (in[k * n + i] > 0.0f) out[i] += in[k * n + i];
//                            ^^^^^^ conditional hint
  }
}

__global__ void taps(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = out[i];
  for (int k = 0; k < 8; k++) sum += in[i + k];
  out[i] = sum;
}

void run(const float *a, float *c, int n) {
  positives<<<(n + 255) / 256, 256>>>(a, c, n, 100);
  taps<<<n / 256, 256>>>(a, c, n);
}
