#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <cstdio>

__global__ void smooth(float *out, const float *in, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) out[at] = in[at] * 0.5f;
}

void work(const float *in, int count) {
  float *scratch;
  cudaMalloc(&scratch, count * sizeof(float));
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  cudaFree(scratch);
}

// Memory that is kept, grows, or is asked for at the first call.
void cached(const float *in, int count) {
  static float *scratch = nullptr;
  if (!scratch) cudaMalloc(&scratch, count * sizeof(float));
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
}
float *pool;
int room;
void grown(const float *in, int count) {
  if (count > room) {
    cudaFree(pool);
    cudaMalloc(&pool, count * sizeof(float));
    room = count;
  }
  smooth<<<(count + 255) / 256, 256>>>(pool, in, count);
}
// A result that the caller takes.
thrust::device_vector<float> made(const float *in, int count) {
  thrust::device_vector<float> out(count);
  smooth<<<(count + 255) / 256, 256>>>(thrust::raw_pointer_cast(out.data()), in, count);
  return out;
}
// Only where something is wrong.
void checked(const float *in, int count) {
  float *scratch;
  if (count < 0) {
    cudaMalloc(&scratch, -count * sizeof(float));
    cudaFree(scratch);
  }
  smooth<<<(count + 255) / 256, 256>>>(pool, in, count);
}
// An iteration of a caller is a whole experiment.
void repeated(const float *in, int count, int times) {
  float *scratch;
  cudaMalloc(&scratch, count * sizeof(float));
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  for (int turn = 0; turn < times; turn++) smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  cudaFree(scratch);
}
void experiment(const float *in, int count) { repeated(in, count, 100); }

void timed(const float *in, int count) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  smooth<<<(count + 255) / 256, 256>>>(pool, in, count);
  cudaEventRecord(end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}

// A table of results: printing them takes longer than memory does.
void shown(const float *in, int count) {
  float *scratch, *host = new float[count];
  cudaMalloc(&scratch, count * sizeof(float));
  smooth<<<(count + 255) / 256, 256>>>(scratch, in, count);
  cudaMemcpy(host, scratch, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; i++) printf("%d %f\n", i, host[i]);
  cudaFree(scratch);
  delete[] host;
}

void all(const float *in, int count, int turns, const int *counts, bool wrong) {
  work(in, count);
  for (int once = 0; once < 1; once++) work(in, count);
  for (int warmUp = 0; warmUp < 2; warmUp++) work(in, count);
  for (int turn = 0; turn < turns; turn++) {
    cached(in, count);
    grown(in, count);
    checked(in, count);
    timed(in, count);
    thrust::device_vector<float> out = made(in, count);
    if (wrong) work(in, count);
  }
  for (int turn = 0; turn < turns; turn++) work(in, counts[turn]);
  for (int size = 1; size < count; size++) {
    int rounded = size * 32;
    work(in, rounded);
  }
  for (int turn = 0; turn < turns; turn++) shown(in, count);
  // The condition stays: once, or without end.
  int mode = turns > 2;
  do {
    work(in, count);
  } while (mode == 1);
  for (int turn = 0; turn < turns; turn++) experiment(in, count);
  for (int turn = 0; turn < turns; turn++) repeated(in, count, 100);
}
