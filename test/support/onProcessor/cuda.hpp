// Runs CUDA kernels on the processor, thread by thread: what both sides of a fix are compiled against by g++.
//
// A block's threads are fibres of one host thread. Each runs until it meets others: a barrier, a shuffle, a
// vote. Which of those that can go on goes on is drawn from a seeded generator, so that code that counts on an order
// which nothing keeps comes out differently from run to run. A rendezvous that cannot come about (a barrier that an
// ended thread missed, a mask that names a lane which waits elsewhere) ends the program with a sentence, not a hang.
// Blocks run one after the other, in a drawn order. Dynamic shared memory is an allocation of exactly the bytes that
// the launch asks for and starts as garbage, so that the address sanitiser sees what goes beyond it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <math.h> // `pow` and its like for float, in the global namespace as CUDA has them
#include <sys/mman.h>
#include <tuple>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
extern "C" {
void __sanitizer_start_switch_fiber(void **saved, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *saved, const void **bottom, size_t *size);
}
#endif

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace processor {

[[noreturn]] inline void stop(const char *sentence) {
  std::printf("stopped: %s\n", sentence);
  std::fflush(stdout);
  std::_Exit(3);
}

/** xorshift64*: the order of threads and blocks, and inputs, from one seed. */
struct Draw {
  uint64_t state;
  explicit Draw(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) {}
  uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Dull;
  }
  unsigned below(unsigned count) { return count ? unsigned((next() >> 33) % count) : 0; }
};

constexpr size_t stackBytes = 256 * 1024;
constexpr unsigned lanes = 32;

#if defined(__x86_64__)
// ucontext asks the kernel for the signal mask at every switch, which is most of what a shuffle costs: here the
// registers that a call keeps are pushed, and the other stack's are popped.
struct Context {
  void *top = nullptr;
};
extern "C" void processorSwitch(void **from, void *to);
asm(R"(
.text
.globl processorSwitch
.type processorSwitch, @function
processorSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size processorSwitch, .-processorSwitch
)");
inline void switchTo(Context &from, Context &to) { processorSwitch(&from.top, to.top); }
inline void prepare(Context &context, void *stack, size_t bytes, void (*entry)()) {
  // As if `entry` had been called: its address is popped by `ret`, which leaves the stack as a call does.
  void **top = reinterpret_cast<void **>((reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15));
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(entry);
  for (int saved = 0; saved < 6; saved++) *--top = nullptr;
  context.top = top;
}
#else
typedef ucontext_t Context;
inline void switchTo(Context &from, Context &to) { swapcontext(&from, &to); }
inline void prepare(Context &context, void *stack, size_t bytes, void (*entry)()) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
}
#endif

struct Thread {
  uint3 index{};
  unsigned number = 0;
  bool done = false;
  bool waiting = false;
  /** What it waits for: 0 the block, else the mask of its warp. */
  unsigned mask = 0;
  Context context{};
  /** It asks which lanes are there, and is told `group`. */
  bool gathering = false;
  unsigned group = 0;
  void *stack = nullptr;
  void *fake = nullptr;
  uint64_t given = 0; // a shuffle's or vote's value
};

struct Block {
  std::vector<Thread> threads;
  std::function<void()> body;
  Context scheduler{};
  void *fake = nullptr;
  const void *bottom = nullptr;
  size_t size = 0;
  Thread *current = nullptr;
  std::vector<unsigned char> *dynamic = nullptr;
};

inline Block block;
inline uint3 blockNumber{};
inline dim3 blockExtent, gridExtent;
inline Draw order(1);
inline std::vector<void *> stacks;
inline unsigned char *dynamicShared = nullptr;

inline void toScheduler(bool ended) {
  Thread &me = *block.current;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(ended ? nullptr : &me.fake, block.bottom, block.size);
#endif
  switchTo(me.context, block.scheduler);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(me.fake, nullptr, nullptr);
#endif
}

inline void enter() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &block.bottom, &block.size);
#endif
  block.body();
  block.current->done = true;
  toScheduler(true);
}

inline void resume(Thread &thread) {
  block.current = &thread;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&block.fake, thread.stack, stackBytes);
#endif
  switchTo(block.scheduler, thread.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(block.fake, nullptr, nullptr);
#endif
}

inline void waitFor(unsigned mask) {
  Thread &me = *block.current;
  me.waiting = true;
  me.mask = mask;
  toScheduler(false);
}

/** The lanes of the warp that are there, this one among them: nobody may count on more of them than itself. */
inline unsigned gatherLanes() {
  Thread &me = *block.current;
  me.gathering = me.waiting = true;
  me.mask = 1u << (me.number % lanes);
  toScheduler(false);
  return me.group;
}

/** Where nobody else can go on, those of a warp that ask are one group, or two. */
inline bool gather() {
  bool any = false;
  for (size_t first = 0; first < block.threads.size(); first += lanes) {
    const size_t last = std::min(first + lanes, block.threads.size());
    unsigned asking = 0;
    for (size_t at = first; at < last; at++)
      if (block.threads[at].gathering) asking |= 1u << (at - first);
    const unsigned apart = order.below(3) == 0 ? asking & unsigned(order.next()) : 0;
    for (size_t at = first; at < last; at++) {
      Thread &one = block.threads[at];
      if (!one.gathering) continue;
      one.group = apart >> (at - first) & 1 ? apart : asking & ~apart;
      one.gathering = one.waiting = false;
      any = true;
    }
  }
  return any;
}

/** Lets those go on whose rendezvous is complete; false where none is. */
inline bool release() {
  bool any = false;
  unsigned waiting = 0, ended = 0;
  for (const Thread &thread : block.threads) {
    if (thread.done) ended++;
    else if (thread.waiting && thread.mask == 0) waiting++;
  }
  if (waiting > 0 && waiting + ended == block.threads.size()) {
    if (ended > 0) stop("some threads of a block ended before a barrier that the others wait at");
    for (Thread &thread : block.threads) thread.waiting = false;
    return true;
  }
  for (size_t first = 0; first < block.threads.size(); first += lanes) {
    const size_t last = std::min(first + lanes, block.threads.size());
    for (size_t at = first; at < last; at++) {
      Thread &one = block.threads[at];
      if (!one.waiting || one.gathering || one.mask == 0) continue;
      if (!(one.mask >> (at - first) & 1)) stop("a thread waits with a mask that does not name its own lane");
      bool complete = true;
      for (size_t other = first; other < last; other++)
        if (one.mask >> (other - first) & 1) {
          const Thread &named = block.threads[other];
          if (!named.done && !(named.waiting && !named.gathering && named.mask == one.mask)) complete = false;
        }
      if (!complete) continue;
      const unsigned mask = one.mask;
      for (size_t other = first; other < last; other++)
        if (mask >> (other - first) & 1 && !block.threads[other].done) block.threads[other].waiting = false;
      any = true;
    }
  }
  return any;
}

inline void runBlock(const std::function<void()> &body) {
  const unsigned count = blockExtent.x * blockExtent.y * blockExtent.z;
  while (stacks.size() < count) {
    void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) stop("no memory for another thread's stack");
    stacks.push_back(stack);
  }
  block.threads.assign(count, Thread{});
  block.body = body;
  for (unsigned number = 0; number < count; number++) {
    Thread &thread = block.threads[number];
    thread.number = number;
    thread.index = {number % blockExtent.x, number / blockExtent.x % blockExtent.y,
                    number / (blockExtent.x * blockExtent.y)};
    thread.stack = stacks[number];
    prepare(thread.context, thread.stack, stackBytes, enter);
  }
  std::vector<unsigned> ready;
  for (;;) {
    ready.clear();
    bool left = false;
    for (const Thread &thread : block.threads) {
      if (thread.done) continue;
      left = true;
      if (!thread.waiting) ready.push_back(thread.number);
    }
    if (!left) return;
    if (ready.empty()) {
      if (!release() && !gather()) stop("the threads of a block wait for each other at different places");
      continue;
    }
    // Whoever is drawn starts; the others follow in a direction that is drawn too.
    const unsigned first = order.below(ready.size());
    const bool backwards = order.below(2);
    for (size_t step = 0; step < ready.size(); step++)
      resume(block.threads[ready[(first + (backwards ? ready.size() - step : step)) % ready.size()]]);
  }
}

template <typename Call> void launch(dim3 grid, dim3 extent, size_t sharedBytes, Call call) {
  const uint64_t threads = uint64_t(extent.x) * extent.y * extent.z;
  // What a GPU refuses is no run at all: nothing is written.
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || threads > 1024) return;
  if (grid.y > 65535 || grid.z > 65535 || extent.z > 64) return;
  gridExtent = grid;
  blockExtent = extent;
  const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
  const uint64_t first = order.next() % blocks;
  for (uint64_t step = 0; step < blocks; step++) {
    const uint64_t number = (first + step) % blocks;
    blockNumber = {unsigned(number % grid.x), unsigned(number / grid.x % grid.y),
                   unsigned(number / (uint64_t(grid.x) * grid.y))};
    dynamicShared = static_cast<unsigned char *>(std::malloc(sharedBytes));
    if (sharedBytes) std::memset(dynamicShared, 0xA5, sharedBytes);
    runBlock(call);
    std::free(dynamicShared);
    dynamicShared = nullptr;
  }
}
inline dim3 extentOf(dim3 extent) { return extent; }

template <typename T> uint64_t bitsOf(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T> T fromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned laneNumber() { return block.current->number % lanes; }
inline unsigned warpStart() { return block.current->number - laneNumber(); }

/** The value of lane `from` of those that the mask names; of a lane that is none of them, garbage. */
template <typename T> T exchanged(unsigned mask, T value, unsigned from) {
  Thread &me = *block.current;
  me.given = bitsOf(value);
  waitFor(mask);
  const size_t other = warpStart() + from;
  const bool there = other < block.threads.size() && (mask >> from & 1) && !block.threads[other].done;
  const uint64_t got = there ? block.threads[other].given : 0x5A5A5A5A5A5A5A5Aull;
  waitFor(mask);
  return fromBits<T>(got);
}
/** One bit a lane of the mask. */
inline unsigned voted(unsigned mask, bool value) {
  Thread &me = *block.current;
  me.given = value;
  waitFor(mask);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < lanes; lane++) {
    const size_t other = warpStart() + lane;
    if ((mask >> lane & 1) && other < block.threads.size() && !block.threads[other].done && block.threads[other].given)
      bits |= 1u << lane;
  }
  waitFor(mask);
  return bits;
}

} // namespace processor

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
#define __constant__ static
#define __managed__

#define threadIdx (processor::block.current->index)
#define blockIdx (processor::blockNumber)
#define blockDim (processor::blockExtent)
#define gridDim (processor::gridExtent)
constexpr int warpSize = 32;

inline void __syncthreads() { processor::waitFor(0); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { processor::waitFor(mask); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline unsigned __activemask() { return 0xffffffffu; }

template <typename T> T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const unsigned lane = processor::laneNumber();
  return processor::exchanged(mask, value, (lane & ~(width - 1)) | (from & (width - 1)));
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = processor::laneNumber();
  return processor::exchanged(mask, value, (lane & (width - 1)) + delta < unsigned(width) ? lane + delta : lane);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = processor::laneNumber();
  return processor::exchanged(mask, value, (lane & (width - 1)) >= delta ? lane - delta : lane);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32) {
  const unsigned lane = processor::laneNumber();
  const unsigned from = lane ^ other;
  return processor::exchanged(mask, value, from < (lane & ~(width - 1u)) + width ? from : lane);
}
inline unsigned __ballot_sync(unsigned mask, bool value) { return processor::voted(mask, value); }
inline int __any_sync(unsigned mask, bool value) { return processor::voted(mask, value) != 0; }
inline int __all_sync(unsigned mask, bool value) { return processor::voted(mask, !value) == 0; }
inline int __syncthreads_or(bool value) {
  static unsigned count;
  processor::waitFor(0);
  count = 0;
  processor::waitFor(0);
  if (value) count++;
  processor::waitFor(0);
  return count != 0;
}

template <typename T, typename V> T atomicAdd(T *place, V value) { T old = *place; *place = T(old + T(value)); return old; }
template <typename T, typename V> T atomicSub(T *place, V value) { T old = *place; *place = T(old - T(value)); return old; }
template <typename T, typename V> T atomicMax(T *place, V value) { T old = *place; *place = std::max(old, T(value)); return old; }
template <typename T, typename V> T atomicMin(T *place, V value) { T old = *place; *place = std::min(old, T(value)); return old; }
template <typename T, typename V> T atomicOr(T *place, V value) { T old = *place; *place |= T(value); return old; }
template <typename T, typename V> T atomicAnd(T *place, V value) { T old = *place; *place &= T(value); return old; }
template <typename T, typename V> T atomicXor(T *place, V value) { T old = *place; *place ^= T(value); return old; }
template <typename T, typename V> T atomicExch(T *place, V value) { T old = *place; *place = T(value); return old; }
template <typename T, typename C, typename V> T atomicCAS(T *place, C expected, V value) {
  T old = *place;
  if (old == T(expected)) *place = T(value);
  return old;
}
template <typename T> T __ldg(const T *place) { return *place; }

#define PROCESSOR_VECTORS(type, name, alignment2, alignment4)                                                       \
  struct alignas(alignment2) name##2 { type x, y; };                                                                \
  struct name##3 { type x, y, z; };                                                                                 \
  struct alignas(alignment4) name##4 { type x, y, z, w; };                                                          \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                                  \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                       \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
PROCESSOR_VECTORS(char, char, 2, 4)
PROCESSOR_VECTORS(unsigned char, uchar, 2, 4)
PROCESSOR_VECTORS(short, short, 4, 8)
PROCESSOR_VECTORS(unsigned short, ushort, 4, 8)
PROCESSOR_VECTORS(int, int, 8, 16)
PROCESSOR_VECTORS(float, float, 8, 16)
PROCESSOR_VECTORS(double, double, 16, 16)
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

/** IEEE half precision as two bytes; sums are rounded once, from float. */
struct alignas(2) __half {
  uint16_t bits;
  __half() = default;
  __half(float value) : bits(rounded(value)) {}
  __half &operator+=(__half other) { return *this = __half(float(*this) + float(other)); }
  operator float() const { return widened(bits); }
  static float widened(uint16_t half) {
    const uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 0) return (sign ? -1.0f : 1.0f) * std::ldexp(float(fraction), -24);
    const uint32_t wide = exponent == 31 ? sign | 0x7f800000u | fraction << 13 : sign | (exponent + 112) << 23 | fraction << 13;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  static uint16_t rounded(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, 4);
    const uint16_t sign = wide >> 16 & 0x8000;
    const float size = std::fabs(value);
    if (!(size == size)) return sign | 0x7e00;
    if (size >= 65520.0f) return sign | 0x7c00;
    if (size < 6.103515625e-05f) return sign | uint16_t(std::nearbyint(std::ldexp(size, 24)));
    const uint32_t odd = wide >> 13 & 1;
    const uint32_t kept = (wide & 0x7fffffff) + 0xfff + odd;
    return sign | uint16_t((kept >> 13) - (112 << 10));
  }
};
typedef __half half;
struct alignas(4) __half2 { __half x, y; };
typedef __half2 half2;
inline float __half2float(__half value) { return value; }
inline __half __float2half(float value) { return __half(value); }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {__half(float(a.x) + float(b.x)), __half(float(a.y) + float(b.y))}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {__half(float(a.x) * float(b.x)), __half(float(a.y) * float(b.y))}; }

template <typename A, typename B> std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return T(a) < T(b) ? T(b) : T(a);
}
template <typename A, typename B> std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return T(b) < T(a) ? T(b) : T(a);
}
inline float __expf(float value) { return std::exp(value); }
inline float rsqrtf(float value) { return 1.0f / std::sqrt(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __clz(int value) { return value ? __builtin_clz(value) : 32; }

// ---- the runtime: device memory is the processor's; what a GPU may do later is done when the host has waited for it

namespace processor {
/** Whether launches and asynchronous copies are put off: a GPU promises no more. */
inline bool lazy = false;
inline std::vector<std::function<void()>> putOff;
inline void enqueue(std::function<void()> work) {
  if (lazy) putOff.push_back(std::move(work));
  else work();
}
inline void finish() {
  const auto works = std::move(putOff);
  putOff.clear();
  for (const auto &work : works) work();
}
inline int done() {
  finish();
  return 0;
}
} // namespace processor

typedef int cudaError_t;
typedef int cudaStream_t;
typedef int cudaEvent_t;
constexpr cudaError_t cudaSuccess = 0;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
template <typename T> cudaError_t cudaMalloc(T **place, size_t bytes) {
  // As a GPU gives it: at a multiple of 256 bytes, with garbage inside: numbers, others from run to run.
  void *memory = nullptr;
  if (posix_memalign(&memory, 256, bytes ? bytes : 1)) processor::stop("no memory");
  std::memset(memory, 0x40 + int(processor::order.state % 6), bytes);
  *place = static_cast<T *>(memory);
  return cudaSuccess;
}
template <typename T> cudaError_t cudaMallocHost(T **place, size_t bytes) { return cudaMalloc(place, bytes); }
/** Waits for the GPU, as it does. */
inline cudaError_t cudaFree(void *memory) { processor::finish(); std::free(memory); return cudaSuccess; }
/** Of a pool: there at once, and given back when the work that was queued before is done. */
template <typename T> cudaError_t cudaMallocAsync(T **place, size_t bytes, cudaStream_t) { return cudaMalloc(place, bytes); }
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t) {
  processor::enqueue([=] { std::free(memory); });
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
  processor::finish();
  if (bytes) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t = 0) {
  processor::enqueue([=] { if (bytes) std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = 0) {
  processor::enqueue([=] { if (bytes) std::memset(to, value, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void *to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes); }
inline cudaError_t cudaDeviceSynchronize() { return processor::done(); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return processor::done(); }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }

// ---- cooperative groups, as far as kernels and fixes here use them

namespace cooperative_groups {
struct thread_block {
  static void sync() { processor::waitFor(0); }
  static unsigned thread_rank() { return processor::block.current->number; }
  static unsigned size() { return processor::block.threads.size(); }
  static unsigned num_threads() { return size(); }
  static uint3 thread_index() { return processor::block.current->index; }
  static uint3 group_index() { return processor::blockNumber; }
};
inline thread_block this_thread_block() { return {}; }
template <unsigned Size> struct thread_block_tile {
  static unsigned thread_rank() { return processor::block.current->number % Size; }
  static unsigned meta_group_rank() { return processor::block.current->number / Size; }
  static unsigned meta_group_size() { return (processor::block.threads.size() + Size - 1) / Size; }
  static unsigned size() { return Size; }
  static unsigned num_threads() { return Size; }
  static unsigned mask() {
    if (Size == 32) return 0xffffffffu;
    return ((1u << (Size % 32)) - 1) << (processor::laneNumber() / Size * Size);
  }
  static void sync() { processor::waitFor(mask()); }
  template <typename T> static T shfl_down(T value, unsigned delta) { return __shfl_down_sync(mask(), value, delta, Size); }
  template <typename T> static T shfl_xor(T value, int other) { return __shfl_xor_sync(mask(), value, other, Size); }
  template <typename T> static T shfl(T value, int from) { return __shfl_sync(mask(), value, from, Size); }
};
template <unsigned Size> thread_block_tile<Size> tiled_partition(thread_block) { return {}; }
inline void sync(thread_block) { thread_block::sync(); }
struct coalesced_group {
  unsigned mask;
  unsigned thread_rank() const { return __builtin_popcount(mask & ((1u << processor::laneNumber()) - 1)); }
  unsigned size() const { return __builtin_popcount(mask); }
  unsigned num_threads() const { return size(); }
  void sync() const { processor::waitFor(mask); }
};
inline coalesced_group coalesced_threads() { return {processor::gatherLanes()}; }
template <typename T> struct plus {
  T operator()(const T &a, const T &b) const { return a + b; }
};
/** What all lanes of the group give, in the order of their numbers: the same in each of them. */
template <typename T, typename Op> T reduce(const coalesced_group &group, T value, Op op) {
  T sum{};
  bool first = true;
  for (unsigned lane = 0; lane < processor::lanes; lane++) {
    if (!(group.mask >> lane & 1)) continue;
    const T other = __shfl_sync(group.mask, value, lane);
    sum = first ? other : op(sum, other);
    first = false;
  }
  return sum;
}
} // namespace cooperative_groups

// ---- cuBLAS: products by its reference, matrices by columns, in the order of the terms

typedef int cublasStatus_t;
typedef bool *cublasHandle_t;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
constexpr cublasStatus_t CUBLAS_STATUS_SUCCESS = 0;
inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  *handle = new bool(true);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t) {
  if (!*handle) processor::stop("a handle that is destroyed");
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (!*handle) processor::stop("a handle that is destroyed");
  *handle = false;
  return processor::done();
}
namespace processor {
template <typename T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, const T *alpha,
                    const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {
  if (!*handle) processor::stop("a handle that is destroyed");
  const int rowsA = opA == CUBLAS_OP_N ? m : k, rowsB = opB == CUBLAS_OP_N ? k : n;
  if (lda < std::max(1, rowsA) || ldb < std::max(1, rowsB) || ldc < std::max(1, m)) processor::stop("a leading dimension below the rows");
  processor::enqueue([=, alpha = *alpha, beta = *beta] {
    for (int column = 0; column < n; column++)
      for (int row = 0; row < m; row++) {
        T sum = T(0);
        for (int at = 0; at < k; at++)
          sum = sum + a[opA == CUBLAS_OP_N ? size_t(at) * lda + row : size_t(row) * lda + at] *
                          b[opB == CUBLAS_OP_N ? size_t(column) * ldb + at : size_t(at) * ldb + column];
        T &to = c[size_t(column) * ldc + row];
        to = beta == T(0) ? T(alpha * sum) : T(alpha * sum + beta * to);
      }
  });
  return CUBLAS_STATUS_SUCCESS;
}
} // namespace processor
#define cublasSgemm processor::gemm<float>
#define cublasDgemm processor::gemm<double>
#define cublasHgemm processor::gemm<__half>
