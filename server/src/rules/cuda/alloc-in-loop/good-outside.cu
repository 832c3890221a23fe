// Allocated once; freed once; buffers that only grow; loops that run once.
__global__ void work(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

void once(int n, int turns) {
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  for (int t = 0; t < turns; t++) work<<<(n + 255) / 256, 256>>>(p, n);
  cudaFree(p);
}

void grows(const int *sizes, int count) {
  float *p = nullptr;
  int capacity = 0;
  for (int k = 0; k < count; k++) {
    if (sizes[k] > capacity) {
      cudaFree(p);
      capacity = sizes[k];
      cudaMalloc(&p, capacity * sizeof(float));
    }
    work<<<(sizes[k] + 255) / 256, 256>>>(p, sizes[k]);
  }
  cudaFree(p);
}

void oneTurn(int n) {
  for (int i = 0; i < 1; i++) {
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    work<<<(n + 255) / 256, 256>>>(p, n);
    cudaFree(p);
  }
}
