// How long fills, copies and sums take in blocks of several sizes: `nvcc -O3 -arch=sm_90 -o short short-blocks.cu`.
#include <cstdio>

template <class T> __global__ void fill(T *to, T value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}
__global__ void copy(float *to, const float *from, size_t n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) to[i] = from[i];
}
__global__ void add(float *to, const float *a, const float *b, size_t n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) to[i] = a[i] + b[i];
}

/** Microseconds of the fastest of seven runs. */
template <class Run> float timeOf(Run run) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float least = 1e9f;
  run();
  for (int i = 0; i < 7; i++) {
    float time;
    cudaEventRecord(start);
    run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&time, start, end);
    least = time < least ? time : least;
  }
  return 1000 * least;
}

int main() {
  const size_t n = 1 << 26;
  float *a, *b, *c;
  cudaMalloc(&a, 2 * n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  printf("block  char float double float4  copy   add (µs)\n");
  for (int size : {32, 64, 128, 256, 512, 1024})
    printf("%5d %5.0f %5.0f %6.0f %6.0f %5.0f %5.0f\n", size, timeOf([&] { fill<<<n / size, size>>>((char *)a, '1', n); }),
           timeOf([&] { fill<<<n / size, size>>>(a, 1.0f, n); }),
           timeOf([&] { fill<<<n / size, size>>>((double *)a, 1.0, n); }),
           timeOf([&] { fill<<<n / 4 / size, size>>>((float4 *)a, make_float4(1, 1, 1, 1), n / 4); }),
           timeOf([&] { copy<<<n / size, size>>>(a, b, n); }), timeOf([&] { add<<<n / size, size>>>(a, b, c, n); }));
}
