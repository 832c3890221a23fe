// Each iteration makes another buffer, and all of them live on.
__global__ void work(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

void all(int n) {
  float *parts[4];
  cudaStream_t streams[4];
  for (int k = 0; k < 4; k++) {
    cudaStreamCreate(&streams[k]);
    cudaMalloc(&parts[k], n * sizeof(float));
    work<<<(n + 255) / 256, 256, 0, streams[k]>>>(parts[k], n);
  }
  for (int k = 0; k < 4; k++) {
    cudaFree(parts[k]);
    cudaStreamDestroy(streams[k]);
  }
}
