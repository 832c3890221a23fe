// Windows that are narrow, or of no separable sum, or that do not overlap.
__global__ void window2(const float *a, float *o, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  float s = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++)
      s += a[(y + j) * w + x + i];
  o[y * w + x] = s;
}

__global__ void disc(const float *a, float *o, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

  float s = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++)
      if (i * i + j * j <= r * r) s += a[(y + j) * w + x + i];
  o[y * w + x] = s;
}

__global__ void centre(const float *a, float *o, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float c = a[y * w + x];
  float s = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++)
      s += fabsf(a[(y + j) * w + x + i] - c);
  o[y * w + x] = s;
}

__global__ void weighted(const float *a, const float *k, float *o, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

  float s = 0;
  for (int j = 0; j < r; j++)
    for (int i = 0; i < r; i++)
      s += a[(y + j) * w + x + i] * k[j * r + i];
  o[y * w + x] = s;
}

__global__ void pooled(const float *a, float *o, int w, int h, int r) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

  float s = 0;
  for (int j = 0; j < r; j++)
    for (int i = 0; i < r; i++)
      s += a[(y * r + j) * w + x * r + i];
  o[y * w + x] = s;
}

void launch(const float *a, const float *k, float *o, int r) {
  int w = 4096, h = 2048;
  dim3 g(w / 32, h / 8), b(32, 8);
  window2<<<g, b>>>(a, o, w, h);
  disc<<<g, b>>>(a, o, w, h, r);
  centre<<<g, b>>>(a, o, w, h, r);
  weighted<<<g, b>>>(a, k, o, w, h, r);
  pooled<<<g, b>>>(a, o, w, h, r);
}
