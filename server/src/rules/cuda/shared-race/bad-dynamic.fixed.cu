// All arrays of dynamic shared memory begin at one address.
__global__ void one_behind_the_other(const float *in, int *out) {
  extern __shared__ float values[];
  extern __shared__ int order[];
  int t = threadIdx.x;
  values[t] = in[t];
  __syncthreads();
  order[255 - t] = t;
  __syncthreads();
  out[t] = values[t] > 0.0f ? order[t] : 0;
}

__global__ void parts_too_near(const float *in, float *out) {
  extern __shared__ unsigned char bytes[];
  float *a = reinterpret_cast<float *>(bytes);
  int *b = reinterpret_cast<int *>(bytes + 128 * sizeof(float));
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  b[t] = t;
  __syncthreads();
  out[t] = a[255 - t] + b[255 - t];
}

// The grid goes over four times as many elements as it has threads.
__global__ void goes_over_again(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
    __syncthreads();
  }
}

void launch(const float *a, float *b, int *c) {
  one_behind_the_other<<<1, 256, 1024>>>(a, c);
  parts_too_near<<<1, 256, 2048>>>(a, b);
  goes_over_again<<<256, 256>>>(a, b, 4 * 256 * 256);
}
