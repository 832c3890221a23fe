// What waste of sectors costs where the same thread's next accesses use the rest of them: times of a chunk of `width`
// elements per thread over those of the coalesced form, with other traffic in between, for loads and stores.
#include <algorithm>
#include <cstdio>
#include <vector>

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

// With -DSCATTERED=1 each thread reads its elements in another order than they lie in (widths that 7 does not divide).
#ifndef SCATTERED
#define SCATTERED 0
#endif
constexpr bool scattered = SCATTERED;

/** Element `step` of the thread: beside its last one, or beside the one of its neighbour. */
template <int width, bool chunk>
__device__ size_t at(size_t thread, size_t threads, int step) {
  return chunk ? thread * width + (size_t)(scattered ? step * 7 % width : step) : step * threads + thread;
}

/** Elements as sums of floats: 16-byte ones are added by their parts. */
template <typename T>
__device__ float sumOf(T value) {
  return (float)value;
}
template <>
__device__ float sumOf(float4 value) {
  return value.x + value.y + value.z + value.w;
}
template <typename T>
__device__ T elementOf(float value) {
  return (T)value;
}
template <>
__device__ float4 elementOf(float value) {
  return make_float4(value, value, value, value);
}

/** `gap` other elements are read, coalesced, between two steps. */
template <typename T, int width, bool chunk, int gap>
__global__ void loads(const T *in, const float *other, float *out, size_t threads) {
  size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  float sum = 0;
  float more = 0;
#pragma unroll 1
  for (int step = 0; step < width; step++) {
    sum += sumOf(in[at<width, chunk>(thread, threads, step)]);
#pragma unroll
    for (int each = 0; each < gap; each++) more += other[(step * (size_t)gap + each) * threads + thread];
  }
  out[thread] = sum + more;
}

template <typename T, int width, bool chunk, int gap>
__global__ void stores(T *into, const float *other, float *out, size_t threads) {
  size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  float more = 0;
#pragma unroll 1
  for (int step = 0; step < width; step++) {
#pragma unroll
    for (int each = 0; each < gap; each++) more += other[(step * (size_t)gap + each) * threads + thread];
    into[at<width, chunk>(thread, threads, step)] = elementOf<T>(step + gap * more);
  }
  out[thread] = more;
}

template <typename Launch>
static float median(Launch launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < 9; run++) {
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time;
    check(cudaEventElapsedTime(&time, begin, end));
    if (run > 1) times.push_back(time);
  }
  check(cudaGetLastError());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static char *data;
static float *other, *out;
constexpr size_t bytes = size_t{1} << 30;
constexpr size_t otherBytes = size_t{12} << 30;

template <typename T, int width, int gap>
static void row(const char *type) {
  size_t threads = std::min(bytes / (width * sizeof(T)), otherBytes / (std::max(1, gap) * width * sizeof(float)));
  threads = threads / 256 * 256;
  for (int block : {256, 64}) {
    unsigned grid = (unsigned)(threads / block);
    T *array = reinterpret_cast<T *>(data);
    float apart = median([&] { loads<T, width, true, gap><<<grid, block>>>(array, other, out, threads); });
    float beside = median([&] { loads<T, width, false, gap><<<grid, block>>>(array, other, out, threads); });
    float apartStore = median([&] { stores<T, width, true, gap><<<grid, block>>>(array, other, out, threads); });
    float besideStore = median([&] { stores<T, width, false, gap><<<grid, block>>>(array, other, out, threads); });
    std::printf("%s,%d,%d,%d,%.3f,%.3f,%.2f,%.3f,%.3f,%.2f\n", type, width, gap * 4, block, apart, beside,
                apart / beside, apartStore, besideStore, apartStore / besideStore);
  }
}

template <typename T, int width>
static void rows(const char *type) {
  row<T, width, 0>(type);
  row<T, width, 1>(type);
  row<T, width, 4>(type);
  row<T, width, 16>(type);
}

int main() {
  check(cudaMalloc(&data, bytes));
  check(cudaMalloc(&other, otherBytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemset(data, 0, bytes));
  check(cudaMemset(other, 0, otherBytes));
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("# %s\n", properties.name);
  std::printf("type,elements a thread,other bytes a step,block,loads ms,coalesced ms,ratio,stores ms,coalesced ms,ratio\n");
  rows<char, 4>("char");
  rows<char, 16>("char");
  rows<float, 2>("float");
  rows<float, 4>("float");
  rows<float, 8>("float");
  rows<float, 9>("float");
  rows<float, 12>("float");
  rows<float, 16>("float");
  rows<float, 32>("float");
  rows<float, 64>("float");
  rows<double, 2>("double");
  rows<double, 4>("double");
  rows<double, 16>("double");
  rows<float4, 2>("float4");
  rows<float4, 3>("float4");
  rows<float4, 5>("float4");
  rows<float4, 8>("float4");
  rows<float4, 16>("float4");
  rows<float4, 64>("float4");
}
