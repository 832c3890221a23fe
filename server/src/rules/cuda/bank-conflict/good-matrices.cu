#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// Rows of 72 halves: eight rows start in eight groups of banks.
__global__ void padded(const uint4 *a, uint4 *out, float *sums) {
  __shared__ __align__(32) half rows[64 * 72];
  int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < 64 * 8; i += 128) __pipeline_memcpy_async(&rows[i / 8 * 72 + i % 8 * 8], &a[i], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  unsigned parts[4];
  unsigned at = (unsigned)__cvta_generic_to_shared(rows + (warp * 16 + t % 16) * 72 + t / 16 % 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
               : "r"(at));
  out[blockIdx.x * blockDim.x + t] = make_uint4(parts[0], parts[1], parts[2], parts[3]);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    wmma::load_matrix_sync(left, rows + warp * 16 * 72 + k, 72);
    wmma::load_matrix_sync(right, rows + k, 72);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(sums + (blockIdx.x * 4 + warp) * 256, sum, 16, wmma::mem_row_major);
}

// The units of 16 bytes of a row are exchanged by the row's number.
__global__ void swizzled(const uint4 *a, uint4 *out) {
  __shared__ __align__(16) half rows[64 * 64];
  int t = threadIdx.x;
  for (int i = t; i < 64 * 8; i += 128) {
    int row = i / 8, unit = i % 8;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(rows + row * 64 + (unit ^ row % 8) * 8));
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(a + i), "n"(16));
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" ::"n"(0));
  __syncthreads();
  int row = t / 32 * 16 + t % 16, unit = t / 16 % 2;
  unsigned parts[4], at = static_cast<unsigned>(__cvta_generic_to_shared(&rows[row * 64 + (unit ^ row % 8) * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(parts[0]), "=r"(parts[1]) : "r"(at));
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];"
               : "=r"(parts[2]), "=r"(parts[3])
               : "r"(at ^ 32));
  out[blockIdx.x * blockDim.x + t] = make_uint4(parts[0], parts[1], parts[2], parts[3]);
}

void run(const uint4 *a, uint4 *out, float *sums, int n) {
  padded<<<n, 128>>>(a, out, sums);
  swizzled<<<n, 128>>>(a, out);
}
