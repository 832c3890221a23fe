// Copies and waits of one loop that move by the same right are moved together.
#include <chrono>

__global__ void best(const float *a, float *error, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] < *error) count[0] = i;
}

__global__ void row(float *a, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += step;
}

void search(const float *a, float *error, int *count, int n, int repeat) {
  float least;
  int found;
  for (int i = 0; i < repeat; i++) {
    best<<<(n + 255) / 256, 256>>>(a, error, count, n);
  }
  if (0 < repeat) {
    cudaMemcpy(&least, error, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&found, count, sizeof(int), cudaMemcpyDeviceToHost);
  }
}

double eliminate(float *a, int n) {
  auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < n; step++) {
    row<<<(n + 255) / 256, 256>>>(a, n, step);
    row<<<(n + 255) / 256, 256>>>(a, n, step + 1);
  }
  cudaDeviceSynchronize();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - start).count();
}

void pass(float *in, float *out, float *a, int n, int parts) {
  for (int part = 0; part < parts; part++) {
    cudaMemcpyAsync(a, in + part * n, n * sizeof(float), cudaMemcpyHostToDevice);
    row<<<(n + 255) / 256, 256>>>(a, n, part);
    cudaMemcpyAsync(out + part * n, a, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaDeviceSynchronize();
}

// Beside a copy that stays the host waits all the same.
void searchAgain(const float *a, float *error, int *count, int n, int repeat, float *all) {
  int found;
  for (int i = 0; i < repeat; i++) {
    best<<<(n + 255) / 256, 256>>>(a, error, count, n);
    cudaMemcpy(&found, count, sizeof(int), cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ overwritten
    cudaMemcpy(all + i, error, sizeof(float), cudaMemcpyDeviceToHost);
    all[i] *= 2;
  }
}
