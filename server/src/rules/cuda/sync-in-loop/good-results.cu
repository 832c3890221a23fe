// The host needs what it waits for.
#include <cstdio>

__global__ void step(float *x, float *residual, int *flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { x[i] *= 0.5f; if (x[i] > 1e-3f) *flag = 1; if (i == 0) *residual = x[0]; }
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

void write(const float *, int);
void save(float *x, float *host, float *residual, int *flag, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    write(host, n);
  }
}

// A copy is read on some iterations, or copied on.
void sometimes(float *x, float *host, float *residual, int *flag, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(host, residual, sizeof(float), cudaMemcpyDeviceToHost);
    if (k % 10 == 0) printf("%f\n", host[0]);
  }
}

// The results are handed to a function out of sight, or an object of a class that nothing defines.
int converged(const float *);
struct Monitor { void look(int); };
void outOfSight(float *x, float *residual, int *flag, Monitor &monitor, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaDeviceSynchronize();
    if (converged(residual)) break;
  }
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaDeviceSynchronize();
    monitor.look(k);
  }
}

// The next call waits as well, before anything is launched.
float twice(float *x, float *residual, int *flag, int n) {
  float host[2], sum = 0;
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaDeviceSynchronize();
    cudaMemcpy(host, residual, sizeof(host), cudaMemcpyDeviceToHost);
    sum += host[0] + host[1];
  }
  return sum;
}

// What a kernel prints appears when the host waits.
__global__ void report(const float *x) { if (threadIdx.x == 0) printf("%f\n", x[0]); }
void reports(float *x) {
  for (int k = 0; k < 3; k++) {
    report<<<1, 32>>>(x);
    cudaDeviceSynchronize();
  }
}

// Giving memory back waits as well; another build reads what was copied; an iteration repeats its launches.
void scratch(float *x, float *y, float *residual, int *flag, int n) {
  for (int k = 0; k < 100; k++) {
    step<<<(n + 255) / 256, 256>>>(y, residual, flag, n);
    cudaDeviceSynchronize();
    cudaFree(y);
    y = x + k;
  }
}
void verified(float *x, float *host, float *residual, int *flag, int n) {
  for (int k = 0; k < 4; k++) {
    step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
#ifdef VERIFY
    write(host, n);
#endif
  }
  for (int k = 0; k < 4; k++) {
    for (int r = 0; r < n; r++) step<<<(n + 255) / 256, 256>>>(x, residual, flag, n);
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
  }
}
