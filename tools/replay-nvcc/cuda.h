// As much of CUDA as the tests' programs use, for the stand-in beside it: what runs on the host finds that every launch succeeded.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(bytes) __attribute__((aligned(bytes)))
typedef decltype(sizeof(0)) cudaStandInSize;
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
#include <__clang_cuda_builtin_vars.h>
// Vector types: aligned to their size where it is a power of two, to 16 bytes at most.
#define cudaStandInVectors(name, type)                                                                                   \
  struct __align__(2 * sizeof(type)) name##2 { type x, y; };                                                             \
  struct __align__(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 { type x, y, z, w; };                          \
  inline __host__ __device__ name##2 make_##name##2(type x, type y) { return {x, y}; }                                   \
  inline __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
cudaStandInVectors(char, signed char) cudaStandInVectors(uchar, unsigned char) cudaStandInVectors(short, short)
cudaStandInVectors(ushort, unsigned short) cudaStandInVectors(int, int) cudaStandInVectors(uint, unsigned)
cudaStandInVectors(float, float) cudaStandInVectors(double, double)
typedef enum { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st *cudaStream_t;
template <typename T> __host__ cudaError_t cudaMalloc(T **at, cudaStandInSize) { return *at = nullptr, cudaSuccess; }
extern "C" {
__attribute__((weak, used)) __host__ unsigned __cudaPushCallConfiguration(dim3, dim3, cudaStandInSize = 0, void * = nullptr) { return 0; }
__attribute__((weak, used)) __host__ unsigned __cudaPopCallConfiguration(dim3 *, dim3 *, cudaStandInSize *, void *) { return 0; }
__attribute__((weak, used)) __host__ cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, cudaStandInSize, cudaStream_t) {
  return cudaSuccess;
}
__attribute__((weak, used)) __host__ cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
}
