// Vectors of the host and of Thrust own what the kernel gets: a guard lets in one thread too many.
#include <thrust/device_vector.h>
#include <vector>

__global__ void filled(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) to[i] = 1.0f;
//            ^^^^^ beyond error
}

__global__ void copied(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) to[i] = 2.0f;
//            ^^^^^ beyond error
}

__global__ void resized(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) to[i] = 3.0f;
//            ^^^^^ beyond error
}

__global__ void allocated(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) to[i] = 4.0f;
//            ^^^^^ beyond error
}

void launch() {
  const int n = 1000;
  thrust::device_vector<float> v(n);
  filled<<<4, 256>>>(thrust::raw_pointer_cast(v.data()), n);
  std::vector<float> h(n);
  thrust::device_vector<float> w = h;
  copied<<<4, 256>>>(thrust::raw_pointer_cast(&w[0]), n);
  thrust::device_vector<float> x;
  x.resize(n);
  resized<<<4, 256>>>(x.data().get(), n);
  float *d;
  cudaMalloc(&d, h.size() * sizeof(float));
  allocated<<<4, 256>>>(d, n);
  cudaFree(d);
}
