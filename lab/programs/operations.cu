// What powers, divergent reads of constant memory and atomic additions of whole warps cost, each beside what gives the
// same: nvcc -arch=sm_90 -O3 -std=c++17 --extended-lambda operations.cu -o operations && ./operations
// Prints the median of eleven runs of both sides, and their ratio.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
const int N = 1 << 24, T = 256;
float *f; int *v; double *d; int *idx; float *out; double *outd; int *outi;
unsigned long long *outl;
template <typename F> float timeOf(F k) {
  std::vector<float> ms; cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int i = 0; i < 13; i++) { cudaEventRecord(a); k(); cudaEventRecord(b); cudaEventSynchronize(b); float t; cudaEventElapsedTime(&t, a, b); if (i > 1) ms.push_back(t); }
  CHECK(cudaGetLastError()); std::sort(ms.begin(), ms.end()); return ms[ms.size() / 2] * 1000;
}
template <typename A, typename B> void pair(const char *name, A a, B b) { float x = timeOf(a), y = timeOf(b); printf("%-58s %10.1f us %10.1f us %8.2fx\n", name, x, y, x / y); fflush(stdout); }
template <typename V> __device__ V warpSum(V s) { for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o); return s; }
template <typename V> __global__ void addOne(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(o, x[i]); }
template <typename V> __global__ void addOneWarp(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; V s = warpSum(x[i]); if (threadIdx.x % 32 == 0) atomicAdd(o, s); }
template <typename V> __global__ void addBlock(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(o + blockIdx.x, x[i]); }
template <typename V> __global__ void addBlockWarp(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; V s = warpSum(x[i]); if (threadIdx.x % 32 == 0) atomicAdd(o + blockIdx.x, s); }
template <typename V> __global__ void addWarpOwn(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(o + i / 32, x[i]); }
template <typename V> __global__ void addWarpOwnR(const V *x, V *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; V s = warpSum(x[i]); if (threadIdx.x % 32 == 0) atomicAdd(o + i / 32, s); }
__global__ void countOne(const int *x, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (x[i] & 1) atomicAdd(o, 1); }
__global__ void countBallot(const int *x, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned b = __ballot_sync(0xffffffffu, x[i] & 1); if (threadIdx.x % 32 == 0) atomicAdd(o, __popc(b)); }
__global__ void slotOne(const int *x, int *o, int *q) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (x[i] & 1) { int s = atomicAdd(o, 1); q[s & (N - 1)] = i; } }
__global__ void slotWarp(const int *x, int *o, int *q) { int i = blockIdx.x * blockDim.x + threadIdx.x; bool t = x[i] & 1; unsigned b = __ballot_sync(0xffffffffu, t); int base = 0, lane = threadIdx.x % 32; if (lane == 0 && b) base = atomicAdd(o, __popc(b)); base = __shfl_sync(0xffffffffu, base, 0); if (t) q[(base + __popc(b & ((1u << lane) - 1))) & (N - 1)] = i; }
__global__ void maxOne(const int *x, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicMax(o, x[i]); }
__global__ void maxWarp(const int *x, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; int s = x[i]; for (int k = 16; k; k >>= 1) s = max(s, __shfl_down_sync(0xffffffffu, s, k)); if (threadIdx.x % 32 == 0) atomicMax(o, s); }
template <typename V> __global__ void sharedAdd(const V *x, V *o) { __shared__ V s; if (threadIdx.x == 0) s = 0; __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&s, x[i]); __syncthreads(); if (threadIdx.x == 0) o[blockIdx.x] = s; }
template <typename V> __global__ void sharedAddWarp(const V *x, V *o) { __shared__ V s; if (threadIdx.x == 0) s = 0; __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; V w = warpSum(x[i]); if (threadIdx.x % 32 == 0) atomicAdd(&s, w); __syncthreads(); if (threadIdx.x == 0) o[blockIdx.x] = s; }
__constant__ float ctab[1024]; __device__ float dtab[1024];
template <int D> __global__ void constTab(const float *x, float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = x[i]; for (int k = 0; k < 64; k++) s += ctab[(threadIdx.x % D + k * 4) & 1023]; o[i] = s; }
template <int D> __global__ void devTab(const float *x, float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = x[i]; for (int k = 0; k < 64; k++) s += dtab[(threadIdx.x % D + k * 4) & 1023]; o[i] = s; }
__global__ void constOnce(const float *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = x[i] * ctab[threadIdx.x]; }
__global__ void devOnce(const float *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = x[i] * dtab[threadIdx.x]; }
template <int D> __global__ void constData(const int *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = ctab[x[i] % D]; }
template <int D> __global__ void devData(const int *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = dtab[x[i] % D]; }
#define MATH(name, type, expr) __global__ void name##Loop(const type *x, type *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; type a = x[i], s = 0; for (int k = 0; k < n; k++) { type x0 = a + k; s += expr; } o[i] = s; } __global__ void name##Once(const type *x, type *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; type x0 = x[i]; o[i] = expr; }
MATH(p2, float, powf(x0, 2.0f)) MATH(m2, float, x0 * x0)
MATH(p2f, float, pow(x0, 2.0f)) MATH(p2i, float, pow(x0, 2))
MATH(p3, float, powf(x0, 3.0f)) MATH(m3, float, x0 * x0 * x0)
MATH(p4, float, powf(x0, 4.0f)) MATH(m4, float, (x0 * x0) * (x0 * x0))
MATH(ph, float, powf(x0, 0.5f)) MATH(mh, float, sqrtf(x0))
MATH(pn, float, powf(x0, -1.0f)) MATH(mn, float, 1.0f / x0)
MATH(p15, float, powf(x0, 1.5f)) MATH(m15, float, x0 * sqrtf(x0))
MATH(pt, float, powf(2.0f, x0)) MATH(mt, float, exp2f(x0))
MATH(pten, float, powf(10.0f, x0)) MATH(mten, float, exp10f(x0))
MATH(dp2, double, pow(x0, 2.0)) MATH(dm2, double, x0 * x0)
MATH(dp2i, double, pow(x0, 2)) MATH(dp3, double, pow(x0, 3)) MATH(dm3, double, x0 * x0 * x0)
MATH(dph, double, pow(x0, 0.5)) MATH(dmh, double, sqrt(x0))
MATH(r, float, 1.0f / sqrtf(x0)) MATH(mr, float, rsqrtf(x0))
MATH(dr, double, 1.0 / sqrt(x0)) MATH(dmr, double, rsqrt(x0))
MATH(sc, float, sinf(x0) * cosf(x0)) MATH(fd, float, x0 / 3.7f) MATH(mfd, float, x0 * (1 / 3.7f))
MATH(e, float, expf(x0 * 1e-6f)) MATH(ed, float, exp(x0 * 1e-6))
__global__ void scLoop2(const float *x, float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float a = x[i], s = 0; for (int k = 0; k < n; k++) { float x0 = a + k, p, q; sincosf(x0, &p, &q); s += p * q; } o[i] = s; }
#define P(name, a, b, A, B) pair(name ", 100 in a loop", [] { a##Loop<<<N / 16 / T, T>>>(A, B, 100); }, [] { b##Loop<<<N / 16 / T, T>>>(A, B, 100); }); pair(name ", once per element", [] { a##Once<<<N / T, T>>>(A, B, 100); }, [] { b##Once<<<N / T, T>>>(A, B, 100); });
int main() {
  std::vector<float> hf(N); std::vector<int> hv(N); std::vector<double> hd(N);
  for (int i = 0; i < N; i++) { hf[i] = 1 + (i % 1000) / 100.0f; hv[i] = rand(); hd[i] = hf[i]; }
  CHECK(cudaMalloc(&f, N * 4)); CHECK(cudaMalloc(&v, N * 4)); CHECK(cudaMalloc(&d, N * 8)); CHECK(cudaMalloc(&out, N * 4)); CHECK(cudaMalloc(&outd, N * 8)); CHECK(cudaMalloc(&outi, N * 4)); CHECK(cudaMalloc(&idx, N * 4)); CHECK(cudaMalloc(&outl, N * 8));
  CHECK(cudaMemcpy(f, hf.data(), N * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(v, hv.data(), N * 4, cudaMemcpyHostToDevice)); CHECK(cudaMemcpy(d, hd.data(), N * 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(outl, 0, N * 8)); CHECK(cudaMemset(out, 0, N * 4)); CHECK(cudaMemset(outd, 0, N * 8)); CHECK(cudaMemset(outi, 0, N * 4));
#define A2(name, V, x, o) pair(name ", one address of all", [] { addOne<V><<<N / T, T>>>(x, o); }, [] { addOneWarp<V><<<N / T, T>>>(x, o); }); pair(name ", one address a block", [] { addBlock<V><<<N / T, T>>>(x, o); }, [] { addBlockWarp<V><<<N / T, T>>>(x, o); }); pair(name ", one address a warp", [] { addWarpOwn<V><<<N / T, T>>>(x, o); }, [] { addWarpOwnR<V><<<N / T, T>>>(x, o); });
  A2("float atomicAdd", float, f, out) A2("double atomicAdd", double, d, outd) A2("int atomicAdd of the lane's value", int, v, outi) A2("64-bit atomicAdd", unsigned long long, (unsigned long long *)d, outl)
  pair("count: atomicAdd(o, 1) under a condition", [] { countOne<<<N / T, T>>>(v, outi); }, [] { countBallot<<<N / T, T>>>(v, outi); });
  pair("slot: s = atomicAdd(o, 1) under a condition", [] { slotOne<<<N / T, T>>>(v, outi, idx); }, [] { slotWarp<<<N / T, T>>>(v, outi, idx); });
  pair("int atomicMax, one address of all", [] { maxOne<<<N / T, T>>>(v, outi); }, [] { maxWarp<<<N / T, T>>>(v, outi); });
  pair("shared float atomicAdd, one address a block", [] { sharedAdd<float><<<N / T, T>>>(f, out); }, [] { sharedAddWarp<float><<<N / T, T>>>(f, out); });
  pair("shared double atomicAdd, one address a block", [] { sharedAdd<double><<<N / T, T>>>(d, outd); }, [] { sharedAddWarp<double><<<N / T, T>>>(d, outd); });
  pair("shared int atomicAdd, one address a block", [] { sharedAdd<int><<<N / T, T>>>(v, outi); }, [] { sharedAddWarp<int><<<N / T, T>>>(v, outi); });
#define C(D) pair("__constant__ by lane, " #D " values a warp, 64 in a loop", [] { constTab<D><<<N / 4 / T, T>>>(f, out, 64); }, [] { devTab<D><<<N / 4 / T, T>>>(f, out, 64); });
  C(32) C(16) C(8) C(4) C(2) C(1)
  pair("__constant__[threadIdx.x] once per element", [] { constOnce<<<N / T, T>>>(f, out); }, [] { devOnce<<<N / T, T>>>(f, out); });
#define CD(D) pair("__constant__ by data below " #D ", once per element", [] { constData<D><<<N / T, T>>>(v, out); }, [] { devData<D><<<N / T, T>>>(v, out); });
  CD(2) CD(4) CD(16) CD(256) CD(1024)
  P("powf(x, 2.0f) -> x*x", p2, m2, f, out) P("pow(float, 2.0f) -> x*x", p2f, m2, f, out) P("pow(float, 2) -> x*x", p2i, m2, f, out) P("powf(x, 3.0f)", p3, m3, f, out) P("powf(x, 4.0f)", p4, m4, f, out) P("powf(x, 0.5f) -> sqrtf", ph, mh, f, out) P("powf(x, -1.0f) -> 1/x", pn, mn, f, out) P("powf(x, 1.5f)", p15, m15, f, out) P("powf(2, x) -> exp2f", pt, mt, f, out) P("powf(10, x) -> exp10f", pten, mten, f, out)
  P("double pow(x, 2.0)", dp2, dm2, d, outd) P("double pow(x, 2)", dp2i, dm2, d, outd) P("double pow(x, 3)", dp3, dm3, d, outd) P("double pow(x, 0.5) -> sqrt", dph, dmh, d, outd)
  P("1.0f/sqrtf -> rsqrtf", r, mr, f, out) P("1.0/sqrt -> rsqrt", dr, dmr, d, outd) P("x / 3.7f -> x * (1/3.7f)", fd, mfd, f, out) P("exp(float * double) -> expf", ed, e, f, out)
  pair("sinf(x) * cosf(x) -> sincosf, 100 in a loop", [] { scLoop<<<N / 16 / T, T>>>(f, out, 100); }, [] { scLoop2<<<N / 16 / T, T>>>(f, out, 100); });
  CHECK(cudaDeviceSynchronize()); return 0;
}
