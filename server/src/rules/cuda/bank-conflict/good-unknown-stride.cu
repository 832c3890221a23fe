// A run-time factor that is odd whatever it is made of, and one that all lanes share.
__global__ void oddFactor(float *out, int half) {
  extern __shared__ float slots[];
  int t = threadIdx.x;
  slots[t * (2 * half + 1)] = out[blockIdx.x * 256 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = slots[t * (2 * half + 1)] * 2.0f;
}

__global__ void rowOfAll(float *out, int pitch, int rows) {
  extern __shared__ float slots[];
  for (int row = 0; row < rows; row++) slots[row * pitch + threadIdx.x] = out[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = slots[pitch + threadIdx.x];
}

void launch(float *out, int n) {
  oddFactor<<<1024, 256, 1024 * n>>>(out, n);
  rowOfAll<<<1024, 256, 1024 * n>>>(out, n, n);
}
