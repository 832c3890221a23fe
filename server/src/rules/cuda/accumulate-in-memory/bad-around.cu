// What is around the loops: a scale before them, a loop under the same condition.
__global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    c[i * n + j] *= beta + 1;
    for (int k = 0; k < n; k++) c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
//                              ^^^^^^^^^^^^ sum
  }
}

__global__ void smooth(const float *x, float *delta, int size, int width) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int l = 0; l < size; ++l)
    for (int m = 0; m < size; ++m) delta[at] += x[at + l * width + m];
//                                 ^^^^^^^^^ sum
}

void run(const float *a, const float *b, float *c, float alpha, float beta, int n) {
  gemm<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, alpha, beta, n);
  smooth<<<1000, 256>>>(a, c, n, 4096);
}

// Sizes and factors in a structure that is passed by value, whose fields the compiler knows to stay.
struct Sizes {
  float alpha;
  int depth, pitch;
};
__global__ void scaled(const float *a, const float *b, float *c, Sizes sizes) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  c[i * sizes.pitch + j] = 0;
  for (int k = 0; k < sizes.depth; k++)
    c[i * sizes.pitch + j] += sizes.alpha * a[i * sizes.depth + k] * b[k * sizes.pitch + j];
//  ^^^^^^^^^^^^^^^^^^^^^^ sum
}

// Through a pointer, or in shared memory, they lie where a store of the loop may change them.
__global__ void behind(const float *a, float *c, const Sizes *sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4096; k++) c[i + sizes->pitch] += a[i + k];
}

__global__ void shared(const float *a, float *c, int n) {
  __shared__ Sizes sizes;
  if (threadIdx.x == 0) sizes.pitch = n;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4096; k++) c[i + sizes.pitch] += a[i + k];
}

void run(const float *a, const float *b, float *c, const Sizes *sizes, int n) {
  scaled<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, Sizes{2.0f, n, n});
  behind<<<1000, 256>>>(a, c, sizes);
  shared<<<1000, 256>>>(a, c, n);
}
