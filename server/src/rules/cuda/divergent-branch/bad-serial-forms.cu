// Loops of one thread in other forms: `while`, a sum in memory, downwards, a helper that one thread calls.
__global__ void whileLoop(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    int k = 0;
    while (k < n) {
//         ^^^^^ serial warning
      sum += in[blockIdx.x * n + k];
      k++;
    }
    out[blockIdx.x] = sum;
  }
}

__global__ void sharedSum(const float *in, float *out) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 1; k < 256; k++) part[0] += part[k];
//                  ^^^^^^^ serial hint
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = part[0];
}

__device__ float sumOf(const float *row, int n) {
  float sum = 0.0f;
  for (int k = n - 1; k >= 0; k--) sum += row[k];
//                    ^^^^^^ serial warning
  return sum;
}
__global__ void helper(const float *in, float *out, int n) {
  if (threadIdx.x == 0) out[blockIdx.x] = sumOf(in + blockIdx.x * n, n);
}

__global__ void fewRanges(const float *in, float *out, int n) {
  if (threadIdx.x < 4) {
    float sum = 0.0f;
    int first = threadIdx.x * n;
    for (int k = first; k < first + n; k++) sum = sum + in[k];
//                      ^^^^^^^^^^^^^ serial warning
    out[threadIdx.x] = sum;
  }
}

void launch(const float *in, float *out, int n) {
  whileLoop<<<1024, 256>>>(in, out, n);
  sharedSum<<<1024, 256>>>(in, out);
  helper<<<1024, 256>>>(in, out, n);
  fewRanges<<<1, 256>>>(in, out, n);
}
