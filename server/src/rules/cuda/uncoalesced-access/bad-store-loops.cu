// A loop that leaves four neighbouring elements of each thread.
__global__ void spread(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own = in[i];
  for (int c = 0; c < 4; c++) {
    int to = 4 * i + c;
    out[to] = own * c;
//  ^^^^^^^ stride
  }
}

void run(const float *in, float *result, int n) {
  float *out;
  cudaMalloc(&out, 4 * n * sizeof(float));
  spread<<<(n + 255) / 256, 256>>>(in, out, n);
  cudaMemcpy(result, out, 4 * n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(out);
}
