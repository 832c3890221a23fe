// The size is worked out anew on each iteration.
#include <vector>

__global__ void fill(char *bytes, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) bytes[i] = 1;
}

void batches(const std::vector<size_t> &lengths, cudaStream_t stream) {
  for (size_t b = 0; b < lengths.size(); b++) {
    char *batch;
    size_t bytes = lengths[b];
    cudaMallocAsync(&batch, bytes, stream);
    fill<<<264, 256, 0, stream>>>(batch, bytes);
    cudaFreeAsync(batch, stream);
  }
}
