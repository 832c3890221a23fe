// A few large blocks for a hundred multiprocessors: the same threads in smaller blocks reach all of them.
__global__ void blend(const float *a, const float *b, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 0.5f * (a[i] + b[i]);
}

// Every thread has an element: none is added.
__global__ void tails(const float *a, float *out, int length) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < length; k++) sum += a[k] / (i + k + 1);
  out[i] = sum;
}

__global__ void heads(float *out, const float *a, int length) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < length; k++) out[id] = out[id] * a[k] + id;
}

void run(const float *a, const float *b, float *out, int n) {
  const int blocks = 128;
  blend<<<128, 256>>>(a, b, out, n);
  tails<<<blocks, 128>>>(a, out, n);
  heads<<<dim3(128), dim3(64)>>>(out, a, n);
}
