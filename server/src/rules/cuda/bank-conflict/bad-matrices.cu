#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

// Rows of 64 halves: the eight rows of each matrix start in the same banks.
__global__ void matrices(const uint4 *a, uint4 *out) {
  __shared__ __align__(16) half rows[64 * 64];
  int t = threadIdx.x;
  for (int i = t; i < 64 * 64 / 8; i += 128) reinterpret_cast<uint4 *>(rows)[i] = a[i];
  __syncthreads();
  unsigned parts[4];
  unsigned at = (unsigned)__cvta_generic_to_shared(rows + (t / 32 * 16 + t % 16) * 64 + t / 16 % 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
               : "r"(at));
//                   ^^ wide warning
  out[blockIdx.x * blockDim.x + t] = make_uint4(parts[0], parts[1], parts[2], parts[3]);
}

__global__ void product(const uint4 *a, float *out) {
  __shared__ __align__(32) half rows[64 * 64];
  int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < 64 * 64 / 8; i += 128) reinterpret_cast<uint4 *>(rows)[i] = a[i];
  __syncthreads();
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    load_matrix_sync(left, rows + warp * 16 * 64 + k, 64);
//                         ^^^^^^^^^^^^^^^^^^^^^^^^^ wide
    load_matrix_sync(right, rows + k * 64, 64);
//                          ^^^^^^^^^^^^^ wide hint
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(out + (blockIdx.x * 4 + warp) * 256, sum, 16, mem_row_major);
}

// Each lane copies a row of its own.
__global__ void copies(const float *a, float *out) {
  __shared__ float tile[32 * 32];
  int t = threadIdx.x;
  for (int i = 0; i < 32; i++) {
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t * 32 + i]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(a + i * 32 + t));
//                                                                ^^ stride
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  for (int i = 0; i < 32; i++) out[i * 32 + t] = tile[i * 32 + t];
}

void run(const uint4 *a, uint4 *out, const float *b, float *sums, int n) {
  matrices<<<n, 128>>>(a, out);
  product<<<n, 128>>>(a, sums);
  copies<<<n, 32>>>(b, sums);
}
