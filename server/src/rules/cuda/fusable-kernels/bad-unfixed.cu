// Found, but left to the programmer: loops over the grid have to become one loop, and templates one template.
__global__ void scaled(const float *in, float *out, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = factor * in[i];
}

__global__ void shifted(float *values, float by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) values[i] += by;
}

void both(const float *in, float *out, int n) {
  scaled<<<264, 256>>>(in, out, 2.0f, n);
  shifted<<<264, 256>>>(out, 1.0f, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ fusable
}

template <typename T>
__global__ void doubled(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i];
}

template <typename T>
__global__ void halved(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / T(2);
}

void there(const float *in, float *between, float *out, int n) {
  doubled<float><<<(n + 255) / 256, 256>>>(in, between, n);
  halved<float><<<(n + 255) / 256, 256>>>(between, out, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ fusable
}
