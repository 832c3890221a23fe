// Sums that one thread stores, that threads share, or that differ between the threads along x.
__global__ void one(const float *a, float *y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s = s * a[blockIdx.x * n + k] + 1;
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}

__global__ void shared(const float *a, float *y, int n) {
  float s = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) s += a[blockIdx.x * n + k];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void picked(const float *a, float *y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++)
    if (k % 32 == threadIdx.x % 32) s += a[blockIdx.x * n + k];
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}

__global__ void columns(const float *a, float *y, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[k * n + x];
  y[x] = s;
}

__global__ void few(const float *a, float *y) {
  float s = 0;
  for (int k = 0; k < 8; k++) s += a[blockIdx.x * 8 + k];
  y[blockIdx.x] = s;
}

__global__ void recurrence(const float *a, float *y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s = s * a[k] + 1;
  y[blockIdx.x] = s;
}

__global__ void single(const float *a, float *y, int n) {
  float s = 0;
  for (int k = 0; k < n; k++) s = s * a[k] + 1;
  y[0] = s;
}

void launch(const float *a, float *y, int n) {
  one<<<1024, 256>>>(a, y, n);
  shared<<<1024, 256>>>(a, y, n);
  picked<<<1024, 256>>>(a, y, n);
  columns<<<1024, 256>>>(a, y, n);
  few<<<1024, 256>>>(a, y);
  recurrence<<<1024, 256>>>(a, y, n);
  single<<<1, 1>>>(a, y, n);
}
