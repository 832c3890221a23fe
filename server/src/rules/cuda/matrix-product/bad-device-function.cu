// A kernel that only calls the function that computes its element.
__device__ __forceinline__ void element(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element
  c[row * n + column] = sum;
}

__global__ void product(const float *a, const float *b, float *c, int n) { element(a, b, c, n); }

// One that does more with it computes something else.
__device__ void part(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void productAndMore(const float *a, const float *b, float *c, const float *bias, int n) {
  part(a, b, c, n);
  c[blockIdx.x * blockDim.x + threadIdx.x] += bias[threadIdx.x];
}

void run(const float *a, const float *b, float *c, const float *bias) {
  dim3 block(32, 8);
  product<<<dim3(4096 / 32, 4096 / 8), block>>>(a, b, c, 4096);
  productAndMore<<<dim3(4096 / 32, 4096 / 8), block>>>(a, b, c, bias, 4096);
}
