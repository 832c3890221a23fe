// Sums that nothing sets to begin with, a memset of too few bytes, and an array that is never filled.
__global__ void sums(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[threadIdx.x] += in[i];
}

__global__ void histogram(const unsigned char *in, int *bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);
}

__global__ void twice(const int *from, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 2 * from[i];
}

__global__ void never(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
//                   ^^^^^^^ unset warning
}

void launch(const float *values, const unsigned char *letters) {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  cudaMemcpy(in, values, 64 * sizeof(float), cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);

  unsigned char *text;
  int *bins;
  cudaMalloc(&text, 64);
  cudaMalloc(&bins, 256 * sizeof(int));
  cudaMemset(bins, 0, 256 * sizeof(int));
  cudaMemcpy(text, letters, 64, cudaMemcpyHostToDevice);
  histogram<<<1, 64>>>(text, bins);
  cudaFree(text);
  cudaFree(bins);

  const int n = 1000;
  int *from, *to;
  cudaMalloc(&from, n * sizeof(int));
  cudaMalloc(&to, n * sizeof(int));
  cudaMemset(from, 0, n * sizeof(int));
  twice<<<4, 250>>>(from, to);
  cudaFree(from);
  cudaFree(to);

  float *source, *target;
  cudaMalloc(&source, n * sizeof(float));
  cudaMalloc(&target, n * sizeof(float));
  never<<<4, 256>>>(source, target, n);
  cudaFree(source);
  cudaFree(target);
}
