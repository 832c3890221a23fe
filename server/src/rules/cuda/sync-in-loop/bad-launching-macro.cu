// Waits in macros and calls that do more than wait: what is written there cannot be taken out, so there is no fix.
#include <cstdio>
#include <cstdlib>

void check(cudaError_t code, int line) {
  if (code != cudaSuccess) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(code)); exit(1); }
}

#define RUN(kernel, blocks, threads, ...) \
  { \
    kernel<<<blocks, threads>>>(__VA_ARGS__); \
    check(cudaDeviceSynchronize(), __LINE__); \
  }
#define RUN_256(kernel, n, ...) RUN(kernel, ((n) + 255) / 256, 256, __VA_ARGS__)
#define THEN_WAIT(launch, wait) do { launch; check((wait), __LINE__); } while (0)

__global__ void relax(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.5f * x[i] + 1.0f;
}

void inMacro(float *x, float *host, int n, int count) {
  for (int step = 0; step < count; step++) {
    RUN((relax), (n + 127) / 128, 128, x, n);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
  cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
}

void inMacroOfMacro(float *x, float *host, int n, int count) {
  for (int step = 0; step < count; step++) {
    RUN_256(relax, n, x, n);
//  ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
  cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
}

void besideALaunch(float *x, float *host, int n, int count) {
  for (int step = 0; step < count; step++) {
    THEN_WAIT((relax<<<(n + 255) / 256, 256>>>(x, n)), cudaDeviceSynchronize());
//                                                     ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
  cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
}

int tell(int step, cudaError_t code) {
  if (code != cudaSuccess) exit(1);
  return step;
}
int noted(int step) {
  printf("step %d\n", step);
  return step;
}

void besideACall(float *x, float *host, int n, int count) {
  for (int step = 0; step < count; step++) {
    relax<<<(n + 255) / 256, 256>>>(x, n);
    tell(noted(step), cudaDeviceSynchronize());
//                    ^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
  }
  cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
}
