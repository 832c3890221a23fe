// A float division by what the host passes, in a loop.
__global__ void density(const float *x, float *y, float mean, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 32; k++) {
    float v = (x[i] + k * 0.01f - mean) / s;
//            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ real-divisor
    sum += expf(-0.5f * v * v);
  }
  y[i] = sum;
}

void run(const float *x, float *y, float mean, float s, int n) { density<<<(n + 255) / 256, 256>>>(x, y, mean, s, n); }
