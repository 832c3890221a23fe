// Found, but a jump or a second owner keeps the pair where it is.
__global__ void search(const int *in, int *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 0) *found = i;
}

int first(const int *const *lists, const int *sizes, int lists_n, int limit) {
  int where = -1;
  for (int l = 0; l < lists_n; l++) {
    int *found;
    cudaMalloc(&found, sizeof(int));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
    cudaMemset(found, 0xff, sizeof(int));
    search<<<(limit + 255) / 256, 256>>>(lists[l], found, sizes[l]);
    cudaMemcpy(&where, found, sizeof(int), cudaMemcpyDeviceToHost);
    if (where >= 0) break;
    cudaFree(found);
  }
  return where;
}

// Out of the loop, the second list would be searched by a kernel that writes to nothing.
int all(const int *const *lists, const int *sizes, int lists_n, int limit) {
  int where = -1;
  int *found;
  for (int l = 0; l < lists_n; l++) {
    cudaMalloc(&found, sizeof(int));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
    cudaMemset(found, 0xff, sizeof(int));
    search<<<(limit + 255) / 256, 256>>>(lists[l], found, sizes[l]);
    cudaMemcpy(&where, found, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(found);
    found = nullptr;
  }
  return where;
}
