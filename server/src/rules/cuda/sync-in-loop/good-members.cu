struct Buffer {
  float *host, *device;
  int size;
  bool isNew;
  void download() { cudaMemcpy(host, device, size * sizeof(float), cudaMemcpyDeviceToHost); }
  void refresh() {
    if (isNew) cudaMemcpy(host, device, size * sizeof(float), cudaMemcpyDeviceToHost);
  }
};

__global__ void relax(float *values) { values[threadIdx.x] *= 0.5f; }

// The host works with the data, copies on request, or launches nothing in the loop.
float sums(Buffer &buffer, int steps) {
  float sum = 0;
  for (int i = 0; i < steps; i++) {
    relax<<<1, 256>>>(buffer.device);
    buffer.download();
    sum += buffer.host[0];
    if (buffer.host[1] < 1) break;
  }
  for (int i = 0; i < steps; i++) {
    relax<<<1, 256>>>(buffer.device);
    buffer.refresh();
    if (buffer.host[1] < 1) break;
  }
  relax<<<1, 256>>>(buffer.device);
  for (int i = 0; i < steps; i++) {
    buffer.download();
    if (buffer.host[1] < 1) break;
  }
  return sum;
}
