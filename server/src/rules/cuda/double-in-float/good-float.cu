// Float arithmetic with float constants, and conversions that happen at compile time.
__constant__ float weights[3] = {0.25, 0.5, 0.25};

__device__ const float share = 0.75;
__global__ void blur(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float edge = 0.1;
  float scale = 1.0 / 3.0;
  constexpr float third = 1.0 / 3.0;
  if (i == 0 || i >= n - 1) {
    if (i < n) out[i] = edge;
    return;
  }
  float sum = sqrt(1.0 - share);
  for (int k = -1; k <= 1; k++) sum += weights[k + 1] * in[i + k];
  out[i] = sum * scale * 3.0f + fminf(sqrt(in[i]), fabs(third)) * 2;
  out[i] = in[i] > 0.5 ? out[i] : -1.0;
}

void run(const float *in, float *out, int n) { blur<<<(n + 255) / 256, 256>>>(in, out, n); }
