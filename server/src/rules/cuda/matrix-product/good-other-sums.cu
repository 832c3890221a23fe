// Sums of the same form that are no product of two matrices.
__global__ void lower(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / n, col = i % n;
  if (i >= n * n || row < col) return;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
  c[i] = s;
}

__global__ void vector(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) {
    float t = a[k] * b[k * n + i];
    s += t;
  }
  c[i] = s;
}

__global__ void squares(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / n, col = i % n;
  float s = 0;
  for (int k = 0; k < n; k++) {
    float t = a[row * n + k] - b[k * n + col];
    s += t * t;
  }
  c[i] = s;
}

void launch(const float *a, const float *b, float *c, int n) {
  lower<<<(n * n + 255) / 256, 256>>>(a, b, c, n);
  vector<<<n / 64, 64>>>(a, b, c, n);
  squares<<<n * n / 256, 256>>>(a, b, c, n);
}
