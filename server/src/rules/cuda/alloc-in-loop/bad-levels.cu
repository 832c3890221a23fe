// A search by levels: how much the next level needs is what this one finds. And a test that sets up each of its cases.
#include <vector>

__global__ void extend(const int *from, int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

void search(int *list, int *total, int first, int levels) {
  int found = first;
  int level = 1;
  while (level < levels) {
    int *next;
    cudaMalloc(&next, sizeof(int) * (found + 1));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation warning
    extend<<<(found + 255) / 256, 256>>>(list, next, found);
    cudaMemcpy(&found, total, sizeof(int), cudaMemcpyDeviceToHost);
    found = found * 2;
    cudaFree(next);
    level++;
  }
}

void tryAll(int *list, int n) {
  const unsigned TEST_CASES = 64;
  for (unsigned i = 0; i < TEST_CASES; ++i) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^ creation
    extend<<<1, 256, 0, stream>>>(list, list + n, n);
    cudaStreamDestroy(stream);
  }
}
