// Programs whose reports have the corners that recordReports.sh wants: two kernels on a line, cuBLAS, ranges, processes, a graph whose nodes share a line.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif
#include <cuda_profiler_api.h>
#include "shared.cuh"

#define CHECK(call) do { cudaError_t error_ = (call); if (error_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); exit(1); } } while (0)
#define SCALE_KERNEL(name, type, factor) __global__ void name(type* out, const type* in, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] * factor; }

SCALE_KERNEL(scale_float, float, 2.0f) SCALE_KERNEL(scale_double, double, 3.0)

__global__ void first_user(float* out, const float* in, const float* table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = polish(in[i], table, i);
}

__global__ void second_user(float* out, const float* in, const float* table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i & 1)) out[i] += polish(in[i * 3 % n], table, i + 7);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "lines";
  if (!strcmp(what, "processes")) {
    pid_t child = fork();
    if (child == 0) what = "child";
    else if (child < 0) return 1;
    else what = "parent";
  }
  const int n = 1 << 20;
  float *a, *b, *table;
  double *c, *d;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMalloc(&table, 1024 * sizeof(float)));
  CHECK(cudaMalloc(&c, n * sizeof(double)));
  CHECK(cudaMalloc(&d, n * sizeof(double)));
  CHECK(cudaMemset(a, 0, n * sizeof(float)));
  CHECK(cudaMemset(b, 0, n * sizeof(float)));
  CHECK(cudaMemset(table, 0, 1024 * sizeof(float)));
  CHECK(cudaMemset(c, 0, n * sizeof(double)));
  if (!strcmp(what, "lines")) {
    scale_float<<<n / 256, 256>>>(b, a, n);
    scale_double<<<n / 128, 128>>>(d, c, n);
    first_user<<<n / 256, 256>>>(b, a, table, n);
    second_user<<<n / 256, 256>>>(b, a, table, n);
#ifdef WITH_CUBLAS
  } else if (!strcmp(what, "cublas")) {
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1.0f, zero = 0.0f;
    first_user<<<n / 256, 256>>>(b, a, table, n);
    if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 512, 512, 512, &one, a, 512, b, 512, &zero, (float*)c, 512) != CUBLAS_STATUS_SUCCESS) return 1;
#endif
  } else if (!strcmp(what, "range")) {
    CHECK(cudaProfilerStart());
    first_user<<<n / 256, 256>>>(b, a, table, n);
    second_user<<<n / 256, 256>>>(b, a, table, n);
    CHECK(cudaProfilerStop());
  } else if (!strcmp(what, "graph")) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    first_user<<<n / 256, 256, 0, stream>>>(b, a, table, n);
    second_user<<<n / 256, 256, 0, stream>>>(b, a, table, n);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
  } else if (!strcmp(what, "child")) {
    second_user<<<n / 256, 256>>>(b, a, table, n);
  } else {
    first_user<<<n / 256, 256>>>(b, a, table, n);
  }
  CHECK(cudaDeviceSynchronize());
  if (!strcmp(what, "parent")) {
    int status = 0;
    if (wait(&status) < 0 || status != 0) return 1;
  }
  printf("done %s\n", what);
  return 0;
}
