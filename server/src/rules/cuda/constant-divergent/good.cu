// One place for all lanes of a warp, and an index that data choose.
__constant__ float coefficients[64];
__constant__ struct { float scale, shift; } settings;

__global__ void polynomial(const float *x, const int *kind, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = settings.shift;
  for (int k = 0; k < 16; k++) sum = sum * x[i] + coefficients[k];
  y[i] = sum * settings.scale + coefficients[threadIdx.x / 32] + coefficients[kind[i] & 63] + coefficients[blockIdx.x % 64];
}

// nvcc places a static table of a function in global memory.
__global__ void weighted(const float *x, float *y, int n) {
  static const float weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * weight[threadIdx.x & 7];
}

void run(const float *x, const int *kind, float *y, int n) {
  weighted<<<(n + 255) / 256, 256>>>(x, y, n);
  polynomial<<<(n + 255) / 256, 256>>>(x, kind, y, n);
}
