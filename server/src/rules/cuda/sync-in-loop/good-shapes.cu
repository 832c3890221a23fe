#include <cstdio>
#include <cuda_runtime.h>

__global__ void relax(float *field, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) field[at] = field[at] * 0.5f + 1.0f;
}

// The host makes the next rows itself.
void rows(float *field, float *host, int width, int height, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    for (int at = 0; at < width * height; at++) host[at] = turn + at;
    cudaMemcpy2D(field, 1024, host, width, width, height, cudaMemcpyHostToDevice);
    relax<<<(width + 255) / 256, 256>>>(field, width);
  }
}

// Within the GPU the host does not wait.
void within(float *field, cudaPitchedPtr from, cudaPitchedPtr to, int count, int turns) {
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = from;
  parameters.dstPtr = to;
  parameters.kind = cudaMemcpyDeviceToDevice;
  for (int turn = 0; turn < turns; turn++) {
    cudaMemcpy3D(&parameters);
    relax<<<(count + 255) / 256, 256>>>(field, count);
  }
}

void advance(float *field, int count, cudaStream_t stream) {
  relax<<<(count + 255) / 256, 256, 0, stream>>>(field, count);
  cudaStreamSynchronize(stream);
}

// Each stream is waited for once.
void drain(float **fields, int count, int parts, cudaStream_t *streams) {
  for (int part = 0; part < parts; part++) advance(fields[part], count, streams[part]);
}

void look(float *field, int count, int turns, cudaStream_t stream) {
  for (int turn = 0; turn < turns; turn++) {
    advance(field, count, stream);
    printf("%f\n", field[0]);
  }
}

// All devices have ended before the copies begin.
void exchange(float **fields, float **halos, int devices, int count, size_t bytes, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    for (int device = 0; device < devices; device++) {
      cudaSetDevice(device);
      relax<<<(count + 255) / 256, 256>>>(fields[device], count);
      cudaDeviceSynchronize();
    }
    for (int device = 0; device + 1 < devices; device++)
      cudaMemcpyPeer(halos[device + 1], device + 1, fields[device], device, bytes);
  }
}

// No launch between one copy and the next.
void once(float **fields, float **halos, int devices, size_t bytes) {
  for (int device = 0; device + 1 < devices; device++)
    cudaMemcpyPeer(halos[device + 1], device + 1, fields[device], device, bytes);
}
