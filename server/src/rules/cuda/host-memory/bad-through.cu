#include <cuda_runtime.h>
#include <cstdlib>
#include <vector>

__global__ void twice(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

class Buffer {
 public:
  explicit Buffer(int n) : n_(n), host_(new float[n]) { cudaMalloc(&device_, n * sizeof(float)); }
  void upload(cudaStream_t s) { cudaMemcpyAsync(device_, host_, n_ * sizeof(float), cudaMemcpyHostToDevice, s); }
  float *device() { return device_; }

 private:
  int n_;
  float *host_;
  float *device_;
};

// The member's memory comes from `new`, wherever the class sets it.
void members(Buffer &a, Buffer &b, int n, cudaStream_t s, cudaStream_t t) {
  a.upload(s);
//^^^^^^^^^^^ staged information
  twice<<<(n + 255) / 256, 256, 0, s>>>(a.device(), n);
  twice<<<(n + 255) / 256, 256, 0, t>>>(b.device(), n);
  cudaDeviceSynchronize();
}

static void toDevice(float *d, const float *host, int n, cudaStream_t s) {
  cudaMemcpyAsync(d, host, n * sizeof(float), cudaMemcpyHostToDevice, s);
}

void wrapped(float *d, int n, int count, cudaStream_t *streams) {
  float *host = (float *)malloc(n * count * sizeof(float));
  for (int i = 0; i < count; i++) {
    toDevice(d + i * n, host + i * n, n, streams[i]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ staged information
    twice<<<(n + 255) / 256, 256, 0, streams[i]>>>(d + i * n, n);
  }
  cudaDeviceSynchronize();
  free(host);
}

void repeated(float *d, int n, int steps, cudaStream_t s) {
  std::vector<float> host(n);
  for (int step = 0; step < steps; step++) {
    host[0] = step;
    cudaMemcpyAsync(d, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, s);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ loop information
    twice<<<(n + 255) / 256, 256, 0, s>>>(d, n);
  }
  cudaStreamSynchronize(s);
}

struct Params {
  int n;
  float factors[32];
};

void byValue(Params *d, Params params, cudaStream_t s) {
  cudaMemcpyAsync(d, &params, sizeof params, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ few hint
}

void byReference(Params *d, const Params &params, cudaStream_t s) {
  cudaMemcpyAsync(d, &params, sizeof params, cudaMemcpyHostToDevice, s);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ few hint
}

void caller(Params *d, int n, cudaStream_t s) {
  Params params;
  params.n = n;
  byReference(d, params, s);
}
