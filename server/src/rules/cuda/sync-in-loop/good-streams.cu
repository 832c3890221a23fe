// Work of several streams meets, several GPUs take turns, and one iteration is no loop.
__global__ void work(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

void meet(float *x, float *y, int n, cudaStream_t one, cudaStream_t other) {
  for (int i = 0; i < 100; i++) {
    work<<<(n + 255) / 256, 256, 0, one>>>(x, n);
    work<<<(n + 255) / 256, 256, 0, other>>>(y, n);
    cudaDeviceSynchronize();
  }
}

void each(float *x, int n, cudaStream_t *streams) {
  for (int i = 0; i < 4; i++) {
    work<<<(n + 255) / 256, 256, 0, streams[i]>>>(x + i * n, n);
    cudaStreamSynchronize(streams[i]);
  }
}

void devices(float **x, int n, int count) {
  for (int d = 0; d < count; d++) {
    cudaSetDevice(d);
    work<<<(n + 255) / 256, 256>>>(x[d], n);
    cudaDeviceSynchronize();
  }
}

void once(float *x, int n) {
  for (int i = 0; i < 1; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
  }
}

// Copies between buffers of the device do not block the host.
void onDevice(float *x, float *y, int n) {
  for (int i = 0; i < 100; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  }
}
