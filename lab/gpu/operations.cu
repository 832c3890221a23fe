// Measures what the model of gains has to know of operations, atomics, sweeps and the host's waits.
//
//   nvcc --extended-lambda -std=c++17 -O3 -arch=sm_90 -o operations lab/gpu/operations.cu && ./operations
//
// A line a constant: name, value, unit. Times are the least of seven. Cycles of an operation are those of a
// multiprocessor that has 64 warps at work, for one warp.
#include "constants.cuh"
#include <chrono>

/** `rounds` times four operations of each thread that do not wait for one another, on values that stay in 1…2. */
template <typename T, typename F> __global__ void operations(T *to, T seed, int rounds, F operation) {
  T own[4];
  for (int k = 0; k < 4; k++) own[k] = 1 + (threadIdx.x + k + seed) / T(4096);
  for (int round = 0; round < rounds; round++)
    for (int k = 0; k < 4; k++) own[k] = T(1) + operation(own[k]) * seed;
  if (own[0] + own[1] + own[2] + own[3] == -1) *to = own[0];
}
__global__ void globalAtomics(float *to, int rounds, int distinct) {
  for (int round = 0; round < rounds; round++) atomicAdd(to + threadIdx.x % distinct * 32, 1.f);
}
__global__ void globalAtomicsOfBlocks(float *to, int rounds) {
  for (int round = 0; round < rounds; round++) atomicAdd(to + blockIdx.x * 64, 1.f);
}
__global__ void globalAtomicsUsed(unsigned *to, int rounds) {
  unsigned sum = 0;
  for (int round = 0; round < rounds; round++) sum += atomicAdd(to + sum % 2 * 64, threadIdx.x);
  if (sum == 1) *to = sum;
}
/** Addresses side by side: lanes of a warp are at different ones where there are 32 or more. */
template <typename T> __global__ void fewAtomics(T *to, int rounds, int addresses) {
  const int place = (blockIdx.x * blockDim.x + threadIdx.x) % addresses;
  for (int round = 0; round < rounds; round++) atomicAdd(to + place, T(1));
}
/** The same by compare-and-swap. */
__global__ void fewSwaps(unsigned *to, int rounds, int addresses) {
  unsigned *place = to + (blockIdx.x * blockDim.x + threadIdx.x) % addresses;
  for (int round = 0; round < rounds; round++) {
    unsigned old = *place, assumed;
    do {
      assumed = old;
      old = atomicCAS(place, assumed, assumed + 1);
    } while (assumed != old);
  }
}
template <typename T> __global__ void sharedAtomics(T *to, int rounds, int distinct) {
  __shared__ T sum[1024];
  sum[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < rounds; round++) atomicAdd(sum + threadIdx.x % distinct, T(threadIdx.x));
  __syncthreads();
  if (sum[threadIdx.x] == T(-1)) *to = 1;
}
__constant__ float table[4096];
__global__ void constants(float *to, int rounds, int distinct) {
  float sum = 0;
  int at = threadIdx.x % distinct;
  for (int round = 0; round < rounds; round++) {
    sum += table[at];
    at = (at + 32) & 511;
  }
  if (sum == -1) *to = sum;
}
/** `rounds` sums of a block's values by halves. */
__global__ void sweeps(float *to, int rounds) {
  __shared__ float part[1024];
  float own = threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
      __syncthreads();
    }
    own += part[0];
    __syncthreads();
  }
  if (own == -1) *to = own;
}

template <typename F> double hostUs(F &&run, int each) {
  double best = 1e30;
  for (int i = 0; i <= 7; i++) {
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < each; k++) run();
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (i > 0) best = std::min(best, took.count() / each);
  }
  return best;
}

int main() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  const int sms = prop.multiProcessorCount;
  printf("%s\n", prop.name);
  void *memory;
  long long *cycles;
  cudaMalloc(&memory, 1 << 24);
  cudaMalloc(&cycles, 8);
  cudaMemset(memory, 0, 1 << 24);
  const double ghz = gigahertz(cycles);
  say("clock", ghz, "GHz");
  const double perMs = ghz * 1e6; // cycles of one multiprocessor in a millisecond

  const int rounds = 1000;
  auto cost = [&](auto seed, auto operation) {
    using T = decltype(seed);
    const double took = ms([&] { operations<<<sms * 8, 256>>>((T *)memory, seed, rounds, operation); });
    return took * perMs / (4.0 * rounds * 64);
  };
  auto pair = [&](const char *name, auto seed, auto slow, auto fast) {
    const double with = cost(seed, slow), without = cost(seed, fast);
    char text[100];
    snprintf(text, sizeof text, "%s: beyond its replacement", name);
    say(text, with - without, "cycles a warp");
  };
  const float f = 0.01f;
  const double d = 0.01;
  auto itself = [] __device__(auto x) { return x; };
  say("float: multiply-add", cost(f, itself), "cycles a warp");
  say("double: multiply-add", cost(d, itself), "cycles a warp");
  pair("float x * 0.5 with a double constant", f, [] __device__(float x) { return float(x * 0.7); },
       [] __device__(float x) { return x * 0.7f; });
  pair("float x * 0.5 + 0.25 in double", f, [] __device__(float x) { return float(x * 0.7 + 0.21); },
       [] __device__(float x) { return x * 0.7f + 0.21f; });
  pair("powf(x, 2)", f, [] __device__(float x) { return powf(x, 2.f); }, [] __device__(float x) { return x * x; });
  pair("powf(x, 3)", f, [] __device__(float x) { return powf(x, 3.f); }, [] __device__(float x) { return x * x * x; });
  pair("powf(x, 4)", f, [] __device__(float x) { return powf(x, 4.f); },
       [] __device__(float x) { return (x * x) * (x * x); });
  pair("powf(x, 0.5)", f, [] __device__(float x) { return powf(x, .5f); }, [] __device__(float x) { return sqrtf(x); });
  pair("powf(x, 1.5)", f, [] __device__(float x) { return powf(x, 1.5f); },
       [] __device__(float x) { return x * sqrtf(x); });
  pair("pow(x, 2)", d, [] __device__(double x) { return pow(x, 2.); }, [] __device__(double x) { return x * x; });
  pair("pow(x, 3)", d, [] __device__(double x) { return pow(x, 3.); }, [] __device__(double x) { return x * x * x; });
  pair("pow(x, 4)", d, [] __device__(double x) { return pow(x, 4.); },
       [] __device__(double x) { return (x * x) * (x * x); });
  pair("pow(x, 0.5)", d, [] __device__(double x) { return pow(x, .5); }, [] __device__(double x) { return sqrt(x); });
  pair("powf(2, x)", f, [] __device__(float x) { return powf(2.f, x); }, [] __device__(float x) { return exp2f(x); });
  pair("powf(10, x)", f, [] __device__(float x) { return powf(10.f, x); },
       [] __device__(float x) { return exp10f(x); });
  pair("pow(2, x)", d, [] __device__(double x) { return pow(2., x); }, [] __device__(double x) { return exp2(x); });
  pair("pow(10, x)", d, [] __device__(double x) { return pow(10., x); }, [] __device__(double x) { return exp10(x); });
  pair("1 / sqrtf(x)", f, [] __device__(float x) { return 1.f / sqrtf(x); },
       [] __device__(float x) { return rsqrtf(x); });
  pair("1 / sqrt(x)", d, [] __device__(double x) { return 1. / sqrt(x); },
       [] __device__(double x) { return rsqrt(x); });
  pair("pow(2, i)", f, [] __device__(float x) { return float(int(pow(2., int(x * 2)))); },
       [] __device__(float x) { return float(1 << int(x * 2)); });

  const int some = 100;
  for (int distinct : {1, 2, 8, 32}) {
    char name[100];
    snprintf(name, sizeof name, "float atomicAdd, %d addresses of a warp", distinct);
    const double took = ms([&] { globalAtomics<<<sms * 8, 256>>>((float *)memory, some, distinct); });
    say(name, took * perMs / (double(sms) * 8 * 256 * some), "cycles of the GPU a lane");
  }
  // `integer`: of a warp at one address, which the compiler sums. `few`: the least of those side by side. `retried`:
  // (swaps over additions - 1) over the other threads of an address.
  say("unsigned atomicAdd, one address", ms([&] {
    fewAtomics<<<sms * 8, 256>>>((unsigned *)memory, some, 1);
  }) * perMs / (double(sms) * 8 * 8 * some), "cycles of the GPU a warp");
  for (int addresses : {2, 32, 256, 1024, 4096}) {
    char name[100];
    const double lanes = double(sms) * 8 * 256 * some;
    auto of = [&](const char *type, auto zero) {
      snprintf(name, sizeof name, "%s atomicAdd, %d addresses side by side", type, addresses);
      using T = decltype(zero);
      say(name, ms([&] { fewAtomics<<<sms * 8, 256>>>((T *)memory, some, addresses); }) * perMs / lanes,
          "cycles of the GPU a lane");
    };
    of("unsigned", 0u);
    of("float", 0.f);
  }
  for (int addresses : {1, 32, 256}) {
    char name[100];
    const int blocks = sms * 4, threads = blocks * 256;
    const double swaps = ms([&] { fewSwaps<<<blocks, 256>>>((unsigned *)memory, 1, addresses); });
    // Ten rounds each, as a single one is over before the launch is paid for.
    const double sums = ms([&] { fewAtomics<<<blocks, 256>>>((unsigned *)memory, 10, addresses); }) / 10;
    snprintf(name, sizeof name, "compare-and-swap over atomicAdd, %d addresses", addresses);
    say(name, swaps / sums, "times");
    snprintf(name, sizeof name, "beyond it, of each other thread of the address");
    say(name, (swaps / sums - 1) / (double(threads) / addresses - 1), "times");
  }
  say("float atomicAdd, an address a block", ms([&] {
    globalAtomicsOfBlocks<<<sms * 8, 256>>>((float *)memory, some);
  }) * perMs / (8.0 * 256 * some), "cycles of the multiprocessor a lane");
  say("unsigned atomicAdd whose result is used", ms([&] {
    globalAtomicsUsed<<<sms * 8, 256>>>((unsigned *)memory, some);
  }) * perMs / (double(sms) * 8 * 256 * some), "cycles of the GPU a lane");
  for (int distinct : {1, 4, 32}) {
    char name[100];
    auto of = [&](const char *type, auto zero) {
      snprintf(name, sizeof name, "%s atomicAdd in shared memory, %d addresses", type, distinct);
      using T = decltype(zero);
      const double took = ms([&] { sharedAtomics<<<sms * 8, 256>>>((T *)memory, some, distinct); });
      say(name, took * perMs / (64.0 * some * 32 / distinct), "cycles of the multiprocessor a serial lane");
    };
    of("int", 0);
    of("float", 0.f);
  }
  for (int distinct : {1, 2, 8, 32}) {
    char name[100];
    snprintf(name, sizeof name, "constant memory, %d addresses of a warp", distinct);
    const double took = ms([&] { constants<<<sms * 8, 256>>>((float *)memory, rounds, distinct); });
    say(name, took * perMs / (64.0 * rounds), "cycles a request");
  }
  for (int threads : {128, 256, 512, 1024}) {
    char name[100];
    const int steps = threads == 128 ? 7 : threads == 256 ? 8 : threads == 512 ? 9 : 10;
    snprintf(name, sizeof name, "a step of a sum by halves, blocks of %d, 2048 threads", threads);
    const double took = ms([&] { sweeps<<<sms * (2048 / threads), threads>>>((float *)memory, rounds); });
    say(name, took * perMs / (64.0 * rounds * steps), "cycles a warp");
    snprintf(name, sizeof name, "a step of a sum by halves, one block of %d", threads);
    say(name, ms([&] { sweeps<<<sms, threads>>>((float *)memory, rounds); }) * perMs / (rounds * steps), "cycles");
  }
  const double launches = hostUs([] { empty<<<1, 32>>>(); }, 1000);
  say("a launch in a row of them", launches, "us");
  say("a wait after each launch, beyond the launch", hostUs([] {
    empty<<<1, 32>>>();
    cudaDeviceSynchronize();
  }, 1000) - launches, "us");
  for (size_t bytes : {size_t(4096), size_t(1) << 20, size_t(64) << 20}) {
    char name[100];
    snprintf(name, sizeof name, "an allocation of %zu KB with its release", bytes / 1024);
    say(name, hostUs([=] {
      void *one;
      cudaMalloc(&one, bytes);
      cudaFree(one);
    }, 100), "us");
  }
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
