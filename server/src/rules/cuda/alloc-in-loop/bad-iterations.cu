// Buffers that are made for each step, for each of a few, for each size, and for each file.
#include <cstdio>
__global__ void fill(float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] = 1.0f;
}

void steps(float *out, int n, int count) {
  for (int step = 0; step < count; step++) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    fill<<<(n + 255) / 256, 256>>>(x, out, n);
    cudaFree(x);
  }
}

void few(float *out, int n) {
  for (int step = 0; step < 8; step++) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    fill<<<(n + 255) / 256, 256>>>(x, out, n);
    cudaFree(x);
  }
}

void sizes(float *out, int most) {
  for (int n = 1000; n <= most; n += 1000) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    fill<<<(n + 255) / 256, 256>>>(x, out, n);
    cudaFree(x);
  }
}

void files(const char **names, float *host, float *out, int n, int count) {
  for (int file = 0; file < count; file++) {
    FILE *in = fopen(names[file], "rb");
    fread(host, sizeof(float), n, in);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
    fill<<<(n + 255) / 256, 256>>>(x, out, n);
    cudaFree(x);
    fclose(in);
  }
}

void epochs(float *out, int n, int count, int batches) {
  for (int epoch = 0; epoch < count; epoch++) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    fill<<<(n + 255) / 256, 256>>>(x, out, n);
    for (int batch = 0; batch < batches; batch++) fill<<<(n + 255) / 256, 256>>>(x, out + batch * n, n);
    cudaFree(x);
  }
}
