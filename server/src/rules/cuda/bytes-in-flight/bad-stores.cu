// Only stores, and a grid-stride loop of which the grid leaves each thread an iteration.
__global__ void fill(unsigned char *out, int n) {
  //            ^^^^ narrow
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 7;
}
__global__ void ones(float *out, int n) {
  //            ^^^^ narrow information
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 1;
}

void run(unsigned char *bytes, float *out) {
  const int n = 1 << 24;
  fill<<<n / 256, 256>>>(bytes, n);
  ones<<<n / 256, 256>>>(out, n);
}
