// fix: ^Load
__global__ void take(const float *in, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;  // of the grid
  if (4 * t + 3 >= n) return;                     // a rest
  float a = in[4 * t];                            // first
  float b = in[4 * t + 1];                        // second
  float c = in[4 * t + 2];                        // third
  float d = in[4 * t + 3];                        // fourth
  out[t] = a + b + c + d;                         // sum
}

void run(const float *given, float *out, int n) {
  float *in;
  cudaMalloc(&in, n * sizeof(float));
  cudaMemcpy(in, given, n * sizeof(float), cudaMemcpyDefault);
  take<<<n / 256 + 1, 64>>>(in, out, n);
  cudaFree(in);
}
