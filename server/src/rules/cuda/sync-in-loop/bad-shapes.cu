#include <cuda_runtime.h>

__global__ void relax(float *field, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) field[at] = field[at] * 0.5f + 1.0f;
}

void rows(float *field, const float *host, int width, int height, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    cudaMemcpy2D(field, 1024, host, width, width, height, cudaMemcpyHostToDevice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ copy warning
    relax<<<(width + 255) / 256, 256>>>(field, width);
  }
}

void volume(float *field, float *host, cudaExtent extent, cudaPitchedPtr pitched, int count, int turns) {
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = make_cudaPitchedPtr(host, extent.width, extent.width, extent.height);
  parameters.dstPtr = pitched;
  parameters.extent = extent;
  parameters.kind = cudaMemcpyHostToDevice;
  for (int turn = 0; turn < turns; turn++) {
    cudaMemcpy3D(&parameters);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^ copy warning
    relax<<<(count + 255) / 256, 256>>>(field, count);
  }
}

void advance(float *field, int count, cudaStream_t stream) {
  relax<<<(count + 255) / 256, 256, 0, stream>>>(field, count);
  cudaStreamSynchronize(stream);
}

void march(float *field, int count, int turns, cudaStream_t stream) {
  for (int turn = 0; turn < turns; turn++) advance(field, count, stream);
//                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ synchronise warning
}

void exchange(float **fields, float **halos, int devices, int count, size_t bytes, int turns, cudaStream_t *streams) {
  for (int turn = 0; turn < turns; turn++) {
    for (int device = 0; device < devices; device++) {
      cudaSetDevice(device);
      relax<<<(count + 255) / 256, 256, 0, streams[device]>>>(fields[device], count);
    }
    for (int device = 0; device + 1 < devices; device++)
      cudaMemcpyPeer(halos[device + 1], device + 1, fields[device], device, bytes);
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ peer warning
  }
}
