// Every arm of a branch that data decide stores the same element: all lanes of a warp store, whichever arm they take.
__global__ void magnitude(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i] * 0.5f - 1.0f;
  if (v < 0)
    out[i] = -v;
  else
    out[i] = v;
}

__global__ void chain(const int *kind, float *to, float value, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) {
    int k = kind[t], other = kind[t + n];
    if (k == 2) to[t] = value;
    else if (other > 3) to[t] = -value;
    else to[t] = 0.0f;
  }
}

__global__ void cases(const int *kind, double *to) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = kind[t];
  for (int row = 0; row < 4; row++) {
    double *at = to + row * gridDim.x * blockDim.x;
    switch (k) {
      case 0: at[t] = 1; break;
      case 1: at[t] = 2; break;
      default: at[t] = row; break;
    }
  }
}

void launch(const float *in, float *out, const int *kind, double *to, int n) {
  magnitude<<<(n + 127) / 128, 128>>>(in, out, n);
  chain<<<64, 256>>>(kind, out, 2.0f, n);
  cases<<<64, 256>>>(kind, to);
}
