// What an iteration is: a step, one that does more than launch, and a case with a size or a file of its own.
#include <cstdio>
__global__ void advance(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}

void steps(float *x, int n, int count) {
  for (int step = 0; step < count; step++) {
    advance<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void checkedSteps(float *x, int n, int count) {
  for (int step = 0; step < count; step++) {
    advance<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
    if (cudaGetLastError() != cudaSuccess) printf("step %d failed\n", step);
  }
}

void few(float *x, int n) {
  for (int step = 0; step < 5; step++) {
    advance<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void chatty(float *x, int n, int count) {
  for (int step = 0; step < count; step++) {
    printf("step %d\n", step);
    advance<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void epochs(float *x, int n, int count, int batches) {
  for (int epoch = 0; epoch < count; epoch++) {
    for (int batch = 0; batch < batches; batch++) advance<<<(n + 255) / 256, 256>>>(x + batch * n, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void prepared(float *x, float *host, int n, int count) {
  for (int step = 0; step < count; step++) {
    for (int i = 0; i < n; i++) host[i] = 0.5f * host[i];
    advance<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void sizes(float *x, int most, int step) {
  for (int n = step; n <= most; n += step) {
    const int blocks = (n + 255) / 256;
    advance<<<blocks, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void levels(float *x, int n) {
  for (int width = n / 2; width > 0; width /= 2) {
    advance<<<(width + 255) / 256, 256>>>(x, width);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void tree(float *x, int leaves, int count) {
  for (int level = 0; level < count; level++) {
    const int width = leaves >> (level + 1);
    const int threads = width < 256 ? width : 256;
    advance<<<width / threads, threads>>>(x, width);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

void powers(float *x, int most) {
  for (int power = 10; power < most; power++) {
    const int n = 1 << power;
    advance<<<n / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}

template <class T>
T total(T *part, int n) {
  T sum;
  cudaMemcpy(&sum, part, sizeof sum, cudaMemcpyDeviceToHost);
  return sum;
}

void line_search(float *x, float *part, int n, int count) {
  for (int step = 0; step < count; step++) {
    advance<<<(n + 255) / 256, 256>>>(part, n);
    float sum = total<float>(part, n);
    advance<<<(n + 255) / 256, 256>>>(x, int(sum));
    cudaDeviceSynchronize();
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
}
