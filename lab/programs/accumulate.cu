// What sums cost that are kept in global memory from iteration to iteration, each beside the same sum in a register,
// and launches that exceed a limit: nvcc -arch=sm_90 -O3 -std=c++17 accumulate.cu -o accumulate && ./accumulate
// Prints the median of eleven runs of both sides, and their ratio; then what each launch beyond a limit answers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
const int N = 1 << 20, T = 256;
float *a, *b, *o; double *ad, *od;
template <typename F> float timeOf(F k) {
  std::vector<float> ms; cudaEvent_t s, e; cudaEventCreate(&s); cudaEventCreate(&e);
  for (int i = 0; i < 13; i++) { cudaEventRecord(s); k(); cudaEventRecord(e); cudaEventSynchronize(e); float t; cudaEventElapsedTime(&t, s, e); if (i > 1) ms.push_back(t); }
  CHECK(cudaGetLastError()); std::sort(ms.begin(), ms.end()); return ms[ms.size() / 2] * 1000;
}
template <typename A, typename B> void pair(const char *name, A x, B y) { float p = timeOf(x), q = timeOf(y); printf("%-72s %10.1f us %10.1f us %8.2fx\n", name, p, q, p / q); fflush(stdout); }
template <typename V> __global__ void columns(const V *in, V *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = 0; for (int k = 0; k < m; k++) out[i] += in[k * n + i]; }
template <typename V> __global__ void columnsRegister(const V *in, V *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; V s = 0; for (int k = 0; k < m; k++) s += in[k * n + i]; out[i] = s; }
template <typename V> __global__ void columnsRestrict(const V *__restrict__ in, V *__restrict__ out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = 0; for (int k = 0; k < m; k++) out[i] += in[k * n + i]; }
__global__ void columnsOnto(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; k++) out[i] += in[k * n + i]; }
__global__ void columnsOntoRegister(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = out[i]; for (int k = 0; k < m; k++) s += in[k * n + i]; out[i] = s; }
__global__ void product(const float *x, const float *y, float *z, int n) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; z[r * n + c] = 0; for (int k = 0; k < n; k++) z[r * n + c] += x[r * n + k] * y[k * n + c]; }
__global__ void productRegister(const float *x, const float *y, float *z, int n) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; float s = 0; for (int k = 0; k < n; k++) s += x[r * n + k] * y[k * n + c]; z[r * n + c] = s; }
__global__ void rows(const float *x, const float *v, float *z, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; z[r] = 0; for (int k = 0; k < n; k++) z[r] += x[r * n + k] * v[k]; }
__global__ void rowsRegister(const float *x, const float *v, float *z, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < n; k++) s += x[r * n + k] * v[k]; z[r] = s; }
__global__ void compute(const float *x, float *z, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float u = x[i]; z[i] = 0; for (int k = 0; k < m; k++) { u = u * 1.0001f + 0.5f; z[i] += u; } }
__global__ void computeRegister(const float *x, float *z, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float u = x[i], s = 0; for (int k = 0; k < m; k++) { u = u * 1.0001f + 0.5f; s += u; } z[i] = s; }
__global__ void few(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < 4; k++) out[i] += in[k * n + i]; }
__global__ void fewRegister(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = out[i]; for (int k = 0; k < 4; k++) s += in[k * n + i]; out[i] = s; }
__global__ void fewOfData(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < m; k++) out[i] += in[k * n + i]; }
__global__ void fewOfDataRegister(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = out[i]; for (int k = 0; k < m; k++) s += in[k * n + i]; out[i] = s; }
__global__ void updates(float *m, int n, int k) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (r <= k || c <= k) return; for (int j = 0; j < k; j++) m[r * n + c] -= m[r * n + j] * m[j * n + c]; }
__global__ void updatesRegister(float *m, int n, int k) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y; if (r <= k || c <= k) return; float s = m[r * n + c]; for (int j = 0; j < k; j++) s -= m[r * n + j] * m[j * n + c]; m[r * n + c] = s; }
__global__ void maxima(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = -1e30f; for (int k = 0; k < m; k++) if (in[k * n + i] > out[i]) out[i] = in[k * n + i]; }
__global__ void maximaRegister(const float *in, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = -1e30f; for (int k = 0; k < m; k++) if (in[k * n + i] > s) s = in[k * n + i]; out[i] = s; }
__global__ void __launch_bounds__(128) bounded(float *z) { z[threadIdx.x] = 1; }
__global__ void plain(float *z) { z[threadIdx.x] = 1; }
__global__ void dynamic(float *z) { extern __shared__ float s[]; s[threadIdx.x] = 1; __syncthreads(); z[threadIdx.x] = s[threadIdx.x ^ 1]; }
void answer(const char *name) { cudaError_t e = cudaGetLastError(); cudaDeviceSynchronize(); printf("%-72s %s\n", name, cudaGetErrorName(e)); }
template <typename F> void copies(const char *name, size_t bytes, int times, F copy) {
  void *plain = malloc(bytes), *pinned, *device; memset(plain, 1, bytes); CHECK(cudaMallocHost(&pinned, bytes)); memset(pinned, 1, bytes); CHECK(cudaMalloc(&device, bytes));
  float of[2]; void *host[2] = {plain, pinned};
  for (int k = 0; k < 2; k++) { of[k] = timeOf([&] { for (int i = 0; i < times; i++) copy(device, host[k], bytes); }); }
  printf("%-72s %10.1f us %10.1f us %8.2fx\n", name, of[0], of[1], of[0] / of[1]); free(plain); cudaFreeHost(pinned); cudaFree(device);
}
int main() {
  CHECK(cudaMalloc(&a, size_t(N) * 256 * 4)); CHECK(cudaMalloc(&b, size_t(N) * 64 * 4)); CHECK(cudaMalloc(&o, N * 16)); CHECK(cudaMalloc(&od, N * 8));
  CHECK(cudaMemset(a, 0, size_t(N) * 256 * 4)); CHECK(cudaMemset(b, 0, size_t(N) * 64 * 4)); CHECK(cudaMemset(o, 0, N * 16)); ad = (double *)a;
  pair("out[i] += in[k * n + i], 256 rows of a million, float -> register", [] { columns<float><<<N / T, T>>>(a, o, N, 256); }, [] { columnsRegister<float><<<N / T, T>>>(a, o, N, 256); });
  pair("the same, double, 128 rows", [] { columns<double><<<N / T, T>>>(ad, od, N, 128); }, [] { columnsRegister<double><<<N / T, T>>>(ad, od, N, 128); });
  pair("the same, float, both pointers __restrict__", [] { columnsRestrict<float><<<N / T, T>>>(a, o, N, 256); }, [] { columnsRegister<float><<<N / T, T>>>(a, o, N, 256); });
  pair("onto what is there, float, 256 rows", [] { columnsOnto<<<N / T, T>>>(a, o, N, 256); }, [] { columnsOntoRegister<<<N / T, T>>>(a, o, N, 256); });
  pair("matrix product 1,024, one thread an element", [] { product<<<dim3(1024 / T, 1024), T>>>(a, b, o, 1024); }, [] { productRegister<<<dim3(1024 / T, 1024), T>>>(a, b, o, 1024); });
  pair("matrix by vector, a row a thread, 16,384 x 1,024", [] { rows<<<16384 / T, T>>>(a, b, o, 1024); }, [] { rowsRegister<<<16384 / T, T>>>(a, b, o, 1024); });
  pair("sum of computed values, 1,000 iterations", [] { compute<<<N / T, T>>>(a, o, 1000); }, [] { computeRegister<<<N / T, T>>>(a, o, 1000); });
  pair("four iterations, unrolled", [] { few<<<N / T, T>>>(a, o, N); }, [] { fewRegister<<<N / T, T>>>(a, o, N); });
  pair("four iterations, count at run time", [] { fewOfData<<<N / T, T>>>(a, o, N, 4); }, [] { fewOfDataRegister<<<N / T, T>>>(a, o, N, 4); });
  pair("m[r][c] -= m[r][j] * m[j][c], 1,024, up to 500", [] { updates<<<dim3(1024 / T, 1024), T>>>(b, 1024, 500); }, [] { updatesRegister<<<dim3(1024 / T, 1024), T>>>(b, 1024, 500); });
  pair("if (in > out[i]) out[i] = in, 256 rows", [] { maxima<<<N / T, T>>>(a, o, N, 256); }, [] { maximaRegister<<<N / T, T>>>(a, o, N, 256); });
  auto up = [](void *d, void *h, size_t n) { cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); }; auto down = [](void *d, void *h, size_t n) { cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost); };
  copies("up, 4 KB, 100 times, pageable -> pinned", 4096, 100, up); copies("up, 64 KB, 100 times", 65536, 100, up); copies("up, 1 MB, 100 times", 1 << 20, 100, up); copies("up, 64 MB, 5 times", 64 << 20, 5, up);
  copies("down, 4 KB, 100 times", 4096, 100, down); copies("down, 64 KB, 100 times", 65536, 100, down); copies("down, 1 MB, 100 times", 1 << 20, 100, down); copies("down, 64 MB, 5 times", 64 << 20, 5, down);
  plain<<<1, 2048>>>(o); answer("<<<1, 2048>>>");
  plain<<<1, dim3(64, 32)>>>(o); answer("<<<1, dim3(64, 32)>>>");
  plain<<<1, dim3(1, 1, 128)>>>(o); answer("<<<1, dim3(1, 1, 128)>>>");
  plain<<<dim3(1, 65536), 32>>>(o); answer("<<<dim3(1, 65536), 32>>>");
  plain<<<0, 32>>>(o); answer("<<<0, 32>>>");
  bounded<<<1, 256>>>(o); answer("__launch_bounds__(128), <<<1, 256>>>");
  dynamic<<<1, 64, 49152>>>(o); answer("dynamic shared memory of 49,152 bytes");
  dynamic<<<1, 64, 49153>>>(o); answer("dynamic shared memory of 49,153 bytes, no attribute");
  dynamic<<<1, 64, 65536>>>(o); answer("dynamic shared memory of 65,536 bytes, no attribute");
  CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); dynamic<<<1, 64, 65536>>>(o); answer("dynamic shared memory of 65,536 bytes, attribute set");
}
