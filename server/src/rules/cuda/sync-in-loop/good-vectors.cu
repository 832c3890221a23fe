// The host reads an element of a vector that lies on the GPU: that copies and waits by itself, whoever filled the vector.
#include <thrust/device_vector.h>
#include <thrust/scan.h>

__global__ void mark(int *flags, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) flags[i] = i % 3 == 0;
}

struct Queue {
  thrust::device_vector<int> ends;

  void drain(int size) {
    while (size > 0) {
      mark<<<(size + 255) / 256, 256>>>(thrust::raw_pointer_cast(ends.data()), size);
      thrust::inclusive_scan(ends.begin(), ends.begin() + size, ends.begin());
      cudaDeviceSynchronize();
      size = ends[size - 1];
    }
  }
};

// An algorithm alone fills it.
void shrink(thrust::device_vector<int> &ends, int *flags, int size) {
  while (size > 0) {
    mark<<<(size + 255) / 256, 256>>>(flags, size);
    thrust::inclusive_scan(ends.begin(), ends.begin() + size, ends.begin());
    cudaDeviceSynchronize();
    const int left = ends[size - 1];
    size = left;
  }
}
