#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// Lanes copy elements that are a row apart.
__global__ void copies(const float *a, float *out, int n) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &a[t * n + blockIdx.x], 4);
//                                   ^^^^^^^^^^^^^^^^^^^^^ unknown-stride
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[blockIdx.x * 256 + t] = tile[255 - t];
}

__global__ void by_pipeline(const float4 *a, float4 *out, int n) {
  __shared__ float4 tile[256];
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[t], &a[t * n + blockIdx.x], sizeof(float4), pipe);
//                              ^^^^^^^^^^^^^^^^^^^^^ unknown-stride
  pipe.producer_commit();
  pipe.consumer_wait();
  out[blockIdx.x * 256 + t] = tile[t];
  pipe.consumer_release();
}

__global__ void in_assembly(const float *a, float *out, int n) {
  int t = threadIdx.x;
  float v;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(a + (size_t)t * n));
//                                                                          ^^^^^^^^^^^^^^^^^ unknown-stride
  out[blockIdx.x * 256 + t] = v;
}

// Rows of 16 bytes of a tile of halves: each instruction has eight.
__global__ void tiles(const half *a, float *out, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::fill_fragment(right, __float2half(1.0f));
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.x * 16 * n + k, n);
//                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^ short-rows
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(out + blockIdx.x * 256, sum, 16, wmma::mem_row_major);
}

void run(const float *a, const float4 *b, const half *h, float *out, float4 *wide, int n) {
  copies<<<n, 256>>>(a, out, n);
  by_pipeline<<<n, 256>>>(b, wide, n);
  in_assembly<<<n, 256>>>(a, out, n);
  tiles<<<n, 32>>>(h, out, n);
}
