// One allocation for each GPU.
__global__ void work(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

void everywhere(int n) {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  for (int d = 0; d < devices; d++) {
    float *p;
    cudaSetDevice(d);
    cudaMalloc(&p, n * sizeof(float));
    work<<<(n + 255) / 256, 256>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
  }
}
