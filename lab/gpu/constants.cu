// Measures what the model of gains has to know of a GPU: what L1, L2 and DRAM hand over, latencies, blocks, launches.
//
//   nvcc -O3 -arch=sm_90 -o constants lab/gpu/constants.cu && ./constants
//
// A line a constant: name, value, unit. Times are the least of seven; cycles are those of the clock that the
// multiprocessors had meanwhile (clock64 over the time of the kernel).
#include "constants.cuh"

__global__ void fillPointers(unsigned *next, unsigned count, unsigned step) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    next[i] = (i + step) % count;
}
/** One thread follows `hops` pointers; cycles for each. */
template <bool L1> __global__ void chase(const unsigned *next, unsigned hops, unsigned *out, long long *cycles) {
  unsigned at = 0;
  for (unsigned hop = 0; hop < 64; hop++) at = L1 ? __ldca(next + at) : __ldcg(next + at);
  const long long start = clock64();
  for (unsigned hop = 0; hop < hops; hop++) at = L1 ? __ldca(next + at) : __ldcg(next + at);
  *cycles = clock64() - start;
  *out = at;
}
/** Lanes `stride` floats apart, each thread `rounds` loads within `mask` + 1 floats of its block or of all blocks. */
template <bool L1>
__global__ void loads(const float *from, float *to, unsigned stride, unsigned mask, int rounds, int apart) {
  const unsigned warp = (apart ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x) / 32, lane = threadIdx.x % 32;
  unsigned at = warp * 32 * stride + lane * stride;
  float sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; round++) {
    const float *one = from + (at & mask);
    sum += L1 ? __ldca(one) : __ldcg(one);
    at += apart ? gridDim.x * blockDim.x * stride : blockDim.x * stride;
  }
  if (sum == -1) *to = sum;
}
/** Groups of `side` lanes side by side, `stride` floats from group to group. */
__global__ void stores(float *to, unsigned stride, unsigned side, unsigned mask, int rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = thread / side * stride + thread % side;
  for (int round = 0; round < rounds; round++) {
    to[(at & mask) + ((at / (mask + 1)) * side) % stride] = 1;
    at += gridDim.x * blockDim.x / side * stride;
  }
}
__global__ void steps(float *to, int rounds) {
  __shared__ float shared[1024];
  float own = threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    shared[threadIdx.x] = own;
    __syncthreads();
    own += shared[threadIdx.x ^ 33];
    __syncthreads();
  }
  if (own == -1) *to = own;
}
__global__ void shuffles(float *to, int rounds) {
  float own = threadIdx.x;
  for (int round = 0; round < rounds; round++) own += __shfl_xor_sync(0xffffffff, own, round & 31);
  if (own == -1) *to = own;
}
__global__ void read(const float4 *from, float *to, size_t count) {
  float sum = 0;
#pragma unroll 4
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const float4 one = from[i];
    sum += one.x + one.y + one.z + one.w;
  }
  if (sum == -1) *to = sum;
}
/** An element a thread; with `barriers` a tile's two steps. */
__global__ void copy(const float *from, float *to) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  to[i] = from[i];
}
__global__ void throughTile(const float *from, float *to) {
  __shared__ float tile[1024];
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  tile[threadIdx.x] = from[i];
  __syncthreads();
  to[i] = tile[threadIdx.x ^ 32];
}

int main() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  const int sms = prop.multiProcessorCount;
  const size_t bytes = size_t(1) << 30;
  float *a, *b;
  long long *cycles;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&cycles, 8);
  cudaMemset(a, 0, bytes);
  cudaMemset(b, 0, bytes);
  const double ghz = gigahertz(cycles);
  say("multiprocessors", sms, "");
  say("clock", ghz, "GHz");
  const double perMs = sms * ghz * 1e6; // cycles of all multiprocessors in a millisecond

  say("DRAM read", bytes / ms([&] { read<<<sms * 8, 256>>>((const float4 *)a, b, bytes / 16); }) / 1e9, "TB/s");
  say("DRAM copy, an element a thread, blocks of 256", 2.0 * bytes / ms([&] {
    copy<<<bytes / 4 / 256, 256>>>(a, b);
  }) / 1e9, "TB/s");
  say("DRAM copy, blocks of 1024", 2.0 * bytes / ms([&] {
    copy<<<bytes / 4 / 1024, 1024>>>(a, b);
  }) / 1e9, "TB/s");
  say("DRAM copy, blocks of 1024 through a tile", 2.0 * bytes / ms([&] {
    throughTile<<<bytes / 4 / 1024, 1024>>>(a, b);
  }) / 1e9, "TB/s");
  say("DRAM copy, blocks of 256 through a tile", 2.0 * bytes / ms([&] {
    throughTile<<<bytes / 4 / 256, 256>>>(a, b);
  }) / 1e9, "TB/s");

  const int rounds = 256, warps = sms * 8 * 8; // 8 blocks of 8 warps a multiprocessor
  for (unsigned stride : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    char name[100];
    auto sayOf = [&](const char *of, double requests, auto &&run) {
      snprintf(name, sizeof name, "%s, lanes %u bytes apart", of, stride * 4);
      say(name, ms(run) * perMs / requests, "cycles a request");
    };
    const double requests = double(warps) * rounds;
    // Of a block: all rounds within 16 KB, so that eight blocks stay within L1.
    const unsigned most = std::min<unsigned>(rounds, (1u << 28) / (stride * 32 * warps));
    const unsigned inL2 = (1u << 22) - 1, inDram = (1u << 28) - 1;
    sayOf("L1", 4 * requests, [&] { loads<true><<<sms * 8, 256>>>(a, b, stride, 4095, rounds * 4, 0); });
    sayOf("L2", requests, [&] { loads<false><<<sms * 8, 256>>>(a, b, stride, inL2, rounds, 1); });
    sayOf("DRAM", double(warps) * most, [&] { loads<false><<<sms * 8, 256>>>(a, b, stride, inDram, most, 1); });
    sayOf("stores to L2", requests, [&] { stores<<<sms * 8, 256>>>(b, stride, 1, inL2, rounds); });
    sayOf("stores to DRAM", double(warps) * most, [&] { stores<<<sms * 8, 256>>>(b, stride, 1, inDram / 2, most); });
  }

  for (unsigned side : {2u, 4u, 8u, 16u}) {
    char name[100];
    snprintf(name, sizeof name, "stores to L2, %u lanes side by side", side);
    const double requests = double(warps) * rounds;
    const double took = ms([&] { stores<<<sms * 8, 256>>>(b, 1024, side, (1u << 22) - 1, rounds); });
    say(name, took * perMs / requests, "cycles a request");
  }

  unsigned *next = (unsigned *)a, *out = (unsigned *)b;
  auto latency = [&](const char *name, unsigned count, unsigned step, bool l1) {
    fillPointers<<<sms, 256>>>(next, count, step);
    const unsigned hops = 2000;
    for (int i = 0; i < 2; i++)
      // What is larger than L2 starts out of it.
      if (count > 1 << 27) cudaMemset(b, 0, bytes), chase<false><<<1, 1>>>(next, hops, out, cycles);
      else if (l1) chase<true><<<1, 1>>>(next, hops, out, cycles);
      else chase<false><<<1, 1>>>(next, hops, out, cycles);
    long long took;
    cudaMemcpy(&took, cycles, 8, cudaMemcpyDeviceToHost);
    say(name, double(took) / hops, "cycles");
  };
  latency("latency of L1", 2048, 33, true);
  latency("latency of L2", 1 << 20, 1057, false);
  latency("latency of DRAM", 1 << 28, 65537, false);

  say("empty launch", ms([&] { empty<<<1, 32>>>(); }) * 1e3, "us");
  say("a hundred empty launches, each", ms([&] { for (int i = 0; i < 100; i++) empty<<<1, 32>>>(); }) * 10, "us");
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    char name[100];
    snprintf(name, sizeof name, "an empty block of %d threads", threads);
    const int blocks = 1 << 20;
    say(name, ms([&] { empty<<<blocks, threads>>>(); }) * perMs / blocks, "cycles of its multiprocessor");
  }
  for (int threads : {64, 256, 1024}) {
    char name[100];
    snprintf(name, sizeof name, "store, barrier, load, barrier: %d threads", threads);
    say(name, ms([&] { steps<<<sms, threads>>>(b, 10000); }) * ghz * 1e2, "cycles");
  }
  say("shuffle", ms([&] { shuffles<<<sms, 32>>>(b, 10000); }) * ghz * 1e2, "cycles");
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
