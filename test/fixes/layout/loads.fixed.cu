// fix: ^Load
__global__ void take(const float *in, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;  // of the grid
  if (4 * t + 3 >= n) return;                     // a rest
  const float4 inParts = *reinterpret_cast<const float4 *>(&in[4 * t]);
  float a = inParts.x;                            // first
  float b = inParts.y;                            // second
  float c = inParts.z;                            // third
  float d = inParts.w;                            // fourth
  out[t] = a + b + c + d;                         // sum
}

void run(const float *given, float *out, int n) {
  float *in;
  cudaMalloc(&in, n * sizeof(float));
  cudaMemcpy(in, given, n * sizeof(float), cudaMemcpyDefault);
  take<<<n / 256 + 1, 64>>>(in, out, n);
  cudaFree(in);
}
