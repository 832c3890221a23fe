// What steps of the walks gain: graphs, fused kernels, tail waves, products by cuBLAS, tiles by asynchronous copies.
// nvcc -arch=sm_90 -O3 -std=c++17 walks.cu -o walks -lcublas && ./walks; with -DNO_CUBLAS it needs no library.
// Prints the median of eleven runs of both sides, and their ratio. `./walks builds` prints what a build by -G, or one for
// another architecture, is held against.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#ifndef NO_CUBLAS
#include <cublas_v2.h>
#endif
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
float *a, *b, *c, *d;
cudaStream_t stream;
double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
template <typename F> double timeOf(F k) {
  std::vector<double> us;
  for (int i = 0; i < 13; i++) { CHECK(cudaDeviceSynchronize()); double from = now(); k(); CHECK(cudaDeviceSynchronize()); if (i > 1) us.push_back(now() - from); }
  CHECK(cudaGetLastError()); std::sort(us.begin(), us.end()); return us[us.size() / 2];
}
template <typename A, typename B> void pair(const char *name, A x, B y) { double p = timeOf(x), q = timeOf(y); printf("%-76s %10.1f us %10.1f us %8.2fx\n", name, p, q, p / q); fflush(stdout); }
__global__ void spin(float *x, long long cycles) { long long from = clock64(); while (clock64() - from < cycles) {} if (cycles < 0) x[threadIdx.x] = 1; }
__global__ void bias(const float *in, const float *by, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] + by[i % m]; }
__global__ void silu(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = v[i] / (1.0f + expf(-v[i])); }
__global__ void biasSilu(const float *in, const float *by, float *out, int n, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float v = in[i] + by[i % m]; out[i] = v / (1.0f + expf(-v)); } }
__global__ void scale(const float *x, float *y, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = f * x[i]; }
__global__ void add(const float *x, const float *y, float *z, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }
__global__ void scaleAdd(const float *x, float *y, float *z, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float v = f * x[i]; y[i] = v; z[i] = x[i] + v; } }
__global__ void __launch_bounds__(1024) work(float *x, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i & 0xfffff]; for (int k = 0; k < m; k++) v = v * 1.0001f + 0.5f; x[i & 0xfffff] = v; }
template <typename V> __global__ void naive(const V *x, const V *y, V *z, int n) { int r = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x; if (r < n && col < n) { V s = 0; for (int k = 0; k < n; k++) s += x[r * n + k] * y[k * n + col]; z[r * n + col] = s; } }
template <typename V, int T> __global__ void tiled(const V *x, const V *y, V *z, int n) {
  __shared__ V p[T][T], q[T][T]; int r = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x; V s = 0;
  for (int t = 0; t < n / T; t++) { p[threadIdx.y][threadIdx.x] = x[r * n + t * T + threadIdx.x]; q[threadIdx.y][threadIdx.x] = y[(t * T + threadIdx.y) * n + col]; __syncthreads(); for (int k = 0; k < T; k++) s += p[threadIdx.y][k] * q[k][threadIdx.x]; __syncthreads(); }
  z[r * n + col] = s;
}
template <int T> __global__ void tiledAsync(const float *x, const float *y, float *z, int n) {
  __shared__ float p[T][T], q[T][T]; int r = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x; float s = 0;
  for (int t = 0; t < n / T; t++) { __pipeline_memcpy_async(&p[threadIdx.y][threadIdx.x], &x[r * n + t * T + threadIdx.x], 4); __pipeline_memcpy_async(&q[threadIdx.y][threadIdx.x], &y[(t * T + threadIdx.y) * n + col], 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); for (int k = 0; k < T; k++) s += p[threadIdx.y][k] * q[k][threadIdx.x]; __syncthreads(); }
  z[r * n + col] = s;
}
template <int T> __global__ void tiledStages(const float *x, const float *y, float *z, int n) {
  __shared__ float p[2][T][T], q[2][T][T]; int r = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x; float s = 0;
  auto load = [&](int t) { if (t < n / T) { __pipeline_memcpy_async(&p[t & 1][threadIdx.y][threadIdx.x], &x[r * n + t * T + threadIdx.x], 4); __pipeline_memcpy_async(&q[t & 1][threadIdx.y][threadIdx.x], &y[(t * T + threadIdx.y) * n + col], 4); } __pipeline_commit(); };
  load(0);
  for (int t = 0; t < n / T; t++) { load(t + 1); __pipeline_wait_prior(1); __syncthreads(); for (int k = 0; k < T; k++) s += p[t & 1][threadIdx.y][k] * q[t & 1][k][threadIdx.x]; __syncthreads(); }
  z[r * n + col] = s;
}
// A tile of 4 KB that is read often, of rows of four floats a thread.
template <int Reads> __global__ void staged(const float4 *x, float *z, int n) { __shared__ float4 s[256]; float v = 0; for (int t = blockIdx.x; t < n / 256; t += gridDim.x) { s[threadIdx.x] = x[t * 256 + threadIdx.x]; __syncthreads(); for (int k = 0; k < Reads; k++) v += s[(threadIdx.x + k * 7) & 255].x; __syncthreads(); } z[blockIdx.x * 256 + threadIdx.x] = v; }
template <int Reads> __global__ void stagedAsync(const float4 *x, float *z, int n) { __shared__ float4 s[256]; float v = 0; for (int t = blockIdx.x; t < n / 256; t += gridDim.x) { __pipeline_memcpy_async(&s[threadIdx.x], &x[t * 256 + threadIdx.x], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); for (int k = 0; k < Reads; k++) v += s[(threadIdx.x + k * 7) & 255].x; __syncthreads(); } z[blockIdx.x * 256 + threadIdx.x] = v; }
template <int Reads> __global__ void stagedStages(const float4 *x, float *z, int n) {
  __shared__ float4 s[2][256]; float v = 0; int at = 0; auto load = [&](int t, int of) { if (t < n / 256) __pipeline_memcpy_async(&s[of][threadIdx.x], &x[t * 256 + threadIdx.x], 16); __pipeline_commit(); };
  load(blockIdx.x, 0);
  for (int t = blockIdx.x; t < n / 256; t += gridDim.x, at ^= 1) { load(t + gridDim.x, at ^ 1); __pipeline_wait_prior(1); __syncthreads(); for (int k = 0; k < Reads; k++) v += s[at][(threadIdx.x + k * 7) & 255].x; __syncthreads(); }
  z[blockIdx.x * 256 + threadIdx.x] = v;
}
void graphs(int launches, double micro, int times) {
  char name[100]; snprintf(name, 100, "%d launches of %.0f us an iteration, %d iterations -> a graph of one", launches, micro, times);
  long long cycles = micro == 0 ? 0 : (long long)((micro - 1.2) * 1980);
  auto body = [&] { for (int k = 0; k < launches; k++) spin<<<16, 128, 0, stream>>>(a, cycles); };
  pair(name, [&] { for (int i = 0; i < times; i++) body(); },
       [&] { cudaGraph_t g; cudaGraphExec_t run; CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); body(); CHECK(cudaStreamEndCapture(stream, &g)); CHECK(cudaGraphInstantiate(&run, g, 0)); for (int i = 0; i < times; i++) cudaGraphLaunch(run, stream); CHECK(cudaStreamSynchronize(stream)); cudaGraphExecDestroy(run); cudaGraphDestroy(g); });
}
void fusion(int n) {
  char name[100]; int t = 256, g = (n + t - 1) / t; snprintf(name, 100, "bias, then SiLU in place, %d elements -> one kernel", n);
  pair(name, [=] { for (int i = 0; i < 10; i++) { bias<<<g, t>>>(a, d, b, n, 1024); silu<<<g, t>>>(b, n); } }, [=] { for (int i = 0; i < 10; i++) biasSilu<<<g, t>>>(a, d, b, n, 1024); });
  snprintf(name, 100, "y = f * x, then z = x + y, %d elements -> one kernel, both stored", n);
  pair(name, [=] { for (int i = 0; i < 10; i++) { scale<<<g, t>>>(a, b, 2.0f, n); add<<<g, t>>>(a, b, c, n); } }, [=] { for (int i = 0; i < 10; i++) scaleAdd<<<g, t>>>(a, b, c, 2.0f, n); });
}
#ifndef NO_CUBLAS
template <int T> void products(cublasHandle_t h, int n) {
  char name[100]; float one = 1, zero = 0; double oneD = 1, zeroD = 0; dim3 t(32, 8), g(n / 32, n / 8), t2(T, T), g2(n / T, n / T); double *ad = (double *)a, *bd = (double *)b, *cd = (double *)c;
  auto blas = [&] { cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n); };
  snprintf(name, 100, "product of %d, float, an element a thread -> cuBLAS", n); pair(name, [&] { naive<float><<<g, t>>>(a, b, c, n); }, blas);
  snprintf(name, 100, "product of %d, float, tiles of %d -> cuBLAS", n, T); pair(name, [&] { tiled<float, T><<<g2, t2>>>(a, b, c, n); }, blas);
  snprintf(name, 100, "product of %d, double, an element a thread -> cuBLAS", n); pair(name, [&] { naive<double><<<g, t>>>(ad, bd, cd, n); }, [&] { cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &oneD, bd, n, ad, n, &zeroD, cd, n); });
}
#endif
int main(int argc, char **) {
  size_t bytes = size_t(1) << 30; CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&c, bytes)); CHECK(cudaMalloc(&d, 1 << 20)); CHECK(cudaMemset(a, 0, bytes)); CHECK(cudaMemset(b, 0, bytes)); CHECK(cudaMemset(d, 0, 1 << 20)); CHECK(cudaStreamCreate(&stream));
  if (argc > 1) {
    int n = 1 << 26; dim3 t(32, 32), g(32, 32);
    printf("builds: scale %.1f us, SiLU %.1f us, product %.1f us, tiled product %.1f us, arithmetic %.1f us\n", timeOf([=] { scale<<<n / 256, 256>>>(a, b, 2.0f, n); }), timeOf([=] { silu<<<n / 256, 256>>>(b, n); }), timeOf([=] { naive<float><<<g, t>>>(a, b, c, 1024); }), timeOf([=] { tiled<float, 32><<<g, t>>>(a, b, c, 1024); }), timeOf([=] { work<<<1056, 256>>>(a, 10000); }));
    return 0;
  }
  for (int launches : {1, 2, 5, 20}) graphs(launches, 0, 1000 / launches);
  for (double micro : {3.0, 5.0, 10.0, 20.0, 50.0}) { graphs(1, micro, 500); graphs(4, micro, 125); }
  graphs(2, 0, 4); graphs(2, 0, 10); graphs(2, 0, 30); graphs(2, 0, 100);
  for (int n : {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28}) fusion(n);
  for (int full : {1, 2, 3, 4, 5, 8, 16}) for (int more : {2, 66}) { char name[100]; snprintf(name, 100, "1024 threads, %d blocks (%.2f waves) -> %d blocks", full * 264 + more, full + more / 264.0, full * 264); pair(name, [=] { work<<<full * 264 + more, 1024>>>(a, 20000); }, [=] { work<<<full * 264, 1024>>>(a, 20000); }); }
#ifndef NO_CUBLAS
  cublasHandle_t h; cublasCreate(&h); cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH); products<16>(h, 64); products<16>(h, 128); products<16>(h, 256); products<32>(h, 512); products<16>(h, 1024); products<32>(h, 1024); products<32>(h, 4096);
  { float one = 1, zero = 0; int n = 1024; pair("product of 1024 by cuBLAS, float as IEEE -> TF32 allowed", [&] { cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH); cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n); }, [&] { cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH); cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n); }); }
#endif
  for (int n : {512, 1024, 4096}) { dim3 t(16, 16), g(n / 16, n / 16), t2(32, 32), g2(n / 32, n / 32); char name[100];
    snprintf(name, 100, "product of %d by tiles of 16 -> tiles by memcpy_async", n); pair(name, [=] { tiled<float, 16><<<g, t>>>(a, b, c, n); }, [=] { tiledAsync<16><<<g, t>>>(a, b, c, n); });
    snprintf(name, 100, "product of %d by tiles of 16 -> the same in two stages", n); pair(name, [=] { tiled<float, 16><<<g, t>>>(a, b, c, n); }, [=] { tiledStages<16><<<g, t>>>(a, b, c, n); });
    snprintf(name, 100, "product of %d by tiles of 32 -> tiles by memcpy_async", n); pair(name, [=] { tiled<float, 32><<<g2, t2>>>(a, b, c, n); }, [=] { tiledAsync<32><<<g2, t2>>>(a, b, c, n); });
    snprintf(name, 100, "product of %d by tiles of 32 -> the same in two stages", n); pair(name, [=] { tiled<float, 32><<<g2, t2>>>(a, b, c, n); }, [=] { tiledStages<32><<<g2, t2>>>(a, b, c, n); }); }
  const float4 *x = (const float4 *)a; int n = 1 << 26;
  pair("tile of 4 KB read 4 times, float4 -> memcpy_async of 16 bytes", [=] { staged<4><<<1056, 256>>>(x, c, n); }, [=] { stagedAsync<4><<<1056, 256>>>(x, c, n); });
  pair("the same -> in two stages", [=] { staged<4><<<1056, 256>>>(x, c, n); }, [=] { stagedStages<4><<<1056, 256>>>(x, c, n); });
  pair("tile of 4 KB read 64 times, float4 -> memcpy_async of 16 bytes", [=] { staged<64><<<1056, 256>>>(x, c, n); }, [=] { stagedAsync<64><<<1056, 256>>>(x, c, n); });
  pair("the same -> in two stages", [=] { staged<64><<<1056, 256>>>(x, c, n); }, [=] { stagedStages<64><<<1056, 256>>>(x, c, n); });
  pair("the same on 132 blocks -> in two stages", [=] { staged<64><<<132, 256>>>(x, c, n / 8); }, [=] { stagedStages<64><<<132, 256>>>(x, c, n / 8); });
}
