// The host needs what it waits for.
#include <cstdio>

__global__ void step(float *x, float *residual, int *flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { x[i] *= 0.5f; if (x[i] > 1e-3f) *flag = 1; if (i == 0) *residual = x[0]; }
}

void untilDone(float *x, float *residual, int *flag, int n) {
  int again;
  do {
    again = 0;
    cudaMemcpy(flag, &again, sizeof(int), cudaMemcpyHostToDevice);
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(&again, flag, sizeof(int), cudaMemcpyDeviceToHost);
  } while (again);
}

// Managed memory is read in the loop.
float managed(float *x, float *residual, int *flag, int n) {
  float last = 0;
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaDeviceSynchronize();
    if (*residual < 1e-6f) break;
    last = *residual;
  }
  return last;
}

void progress(float *x, float *residual, int *flag, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaDeviceSynchronize();
    printf("step %d\n", k);
  }
}

void write(const float *, int);
void save(float *x, float *host, float *residual, int *flag, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    write(host, n);
  }
}
