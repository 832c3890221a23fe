// Waits in a macro of error checks that makes a block of its call: a blocking copy follows before anything is launched.
#include <stdio.h>

#define CHECK(call) { report((call), __FILE__, __LINE__); }
inline void report(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line);
}

__global__ void relax(int *distance, bool *finished) {
  if (distance[threadIdx.x]++ < 5) *finished = false;
}

void search(int *distance, bool *onDevice, int blocks) {
  bool finished[2];
  do {
    finished[0] = finished[1] = true;
    CHECK(cudaMemcpy(onDevice, finished, sizeof(finished), cudaMemcpyHostToDevice));
    relax<<<blocks, 512>>>(distance, onDevice);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(finished, onDevice, sizeof(finished), cudaMemcpyDeviceToHost));
  } while (!finished[0] && !finished[1]);
}

// Two iterations.
void twice(int *distance, bool *onDevice) {
  for (int i = 0; i < 2; i++) {
    relax<<<100, 512>>>(distance, onDevice);
    cudaDeviceSynchronize();
  }
}
