// Streaming kernels with one element a thread against 16 bytes a thread, by element type and size of the data.
#include <cstdio>
#include <vector>
#include <algorithm>

template <class T> struct alignas(16) Wide {
  T v[16 / sizeof(T)];
};
template <class T> __device__ T mapped(T x) { return T(x * T(3) + T(1)); }
template <> __device__ float mapped(float x) { return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }

template <class T> __global__ void map(const T *a, const T *, T *o, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) o[i] = mapped(a[i]);
}
template <class T> __global__ void mapWide(const Wide<T> *a, const Wide<T> *, Wide<T> *o, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  Wide<T> v = a[i];
  for (T &x : v.v) x = mapped(x);
  o[i] = v;
}
template <class T> __global__ void add(const T *a, const T *b, T *o, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) o[i] = a[i] + b[i];
}
template <class T> __global__ void addWide(const Wide<T> *a, const Wide<T> *b, Wide<T> *o, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  Wide<T> v = a[i], w = b[i];
  for (int k = 0; k < int(16 / sizeof(T)); k++) v.v[k] += w.v[k];
  o[i] = v;
}
// Four elements a thread, a block apart: no vector is needed.
template <class T> __global__ void addMore(const T *a, const T *b, T *o, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) * 4 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++, i += blockDim.x)
    if (i < n) o[i] = a[i] + b[i];
}
template <class F> float timeOf(F launch) {
  std::vector<float> times;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int r = 0; r < 23; r++) {
    cudaEventRecord(begin), launch(), cudaEventRecord(end), cudaEventSynchronize(end);
    float t;
    cudaEventElapsedTime(&t, begin, end);
    if (r > 1) times.push_back(t * 1000);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
template <class T> void measure(const char *type) {
  for (int exponent = 16; exponent <= 27; exponent++) {
    size_t n = size_t(1) << exponent, wide = n * sizeof(T) / 16;
    T *a, *b, *o;
    cudaMalloc(&a, n * sizeof(T)), cudaMalloc(&b, n * sizeof(T)), cudaMalloc(&o, n * sizeof(T));
    cudaMemset(a, 0, n * sizeof(T)), cudaMemset(b, 0, n * sizeof(T));
    auto blocks = [](size_t threads) { return unsigned((threads + 255) / 256); };
    float one = timeOf([&] { map<T><<<blocks(n), 256>>>(a, b, o, n); });
    float more = timeOf([&] { mapWide<T><<<blocks(wide), 256>>>((Wide<T> *)a, (Wide<T> *)b, (Wide<T> *)o, wide); });
    printf("%s map 2^%d %.2f %.2f %.2f\n", type, exponent, one, more, one / more);
    float two = timeOf([&] { add<T><<<blocks(n), 256>>>(a, b, o, n); });
    float both = timeOf([&] { addWide<T><<<blocks(wide), 256>>>((Wide<T> *)a, (Wide<T> *)b, (Wide<T> *)o, wide); });
    float four = timeOf([&] { addMore<T><<<blocks(n / 4), 256>>>(a, b, o, n); });
    printf("%s add 2^%d %.2f %.2f %.2f, four a thread %.2f %.2f\n", type, exponent, two, both, two / both, four, two / four);
    cudaFree(a), cudaFree(b), cudaFree(o);
  }
}
int main() {
  measure<unsigned char>("byte");
  measure<unsigned short>("short");
  measure<float>("float");
  measure<double>("double");
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
