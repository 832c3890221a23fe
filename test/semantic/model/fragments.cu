// What nvcc 13.0 makes of `wmma` on sm_90: eight rows of 16 bytes an instruction, of accumulators eight of 32 bytes, of
// the other layout single elements but for halves; in shared memory `ldmatrix`.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void halves(const half *a, half *c) {
  __shared__ half s[64 * 64];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> tall;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> narrow;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::load_matrix_sync(left, a, 64);
//                             ^ load 8/4
  wmma::load_matrix_sync(tall, a, 64);
//                             ^ load 8/4
  wmma::load_matrix_sync(left, s, 64);
//                             ^ load 32/4
  wmma::load_matrix_sync(tall, s, 72);
//                             ^ load 4/4
  wmma::load_matrix_sync(narrow, s, 72);
//                               ^ load 2/2
  wmma::load_matrix_sync(sum, c, 16, wmma::mem_col_major);
//                            ^ load 8/4
  wmma::store_matrix_sync(s, sum, 32, wmma::mem_row_major);
//                        ^ store 4/1
}

__global__ void bytes(const signed char *a, int *c) {
  __shared__ signed char s[64 * 64];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::load_matrix_sync(left, a, 64);
//                             ^ load 8/4
  wmma::load_matrix_sync(right, a, 64);
//                              ^ load 4/1
  wmma::load_matrix_sync(left, s, 16);
//                             ^ load 2/2
  wmma::load_matrix_sync(right, s, 128);
//                              ^ load 4/1
  wmma::store_matrix_sync(c, sum, 64, wmma::mem_row_major);
//                        ^ store 8/8
}

__global__ void floats(const float *a, float *c) {
  __shared__ float s[64 * 64];
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> wide;
  wmma::load_matrix_sync(left, a, 64);
//                             ^ load 8/4
  wmma::load_matrix_sync(right, a, 64);
//                              ^ load 4/4
  wmma::load_matrix_sync(left, s, 20);
//                             ^ load 1/1
  wmma::store_matrix_sync(c, sum, 64, wmma::mem_col_major);
//                        ^ store 4/4
  wmma::store_matrix_sync(c, wide, 64, wmma::mem_row_major);
//                        ^ store 4/4
  wmma::store_matrix_sync(c, wide, 64, wmma::mem_col_major);
//                        ^ store 8/8
  wmma::store_matrix_sync(s, sum, 40, wmma::mem_row_major);
//                        ^ store 2/2
}

__global__ void doubles(const double *a, double *c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::load_matrix_sync(left, a, 64);
//                             ^ load 8/8
  wmma::load_matrix_sync(right, a, 64);
//                              ^ load 8/8
  wmma::store_matrix_sync(c, sum, 64, wmma::mem_row_major);
//                        ^ store 16/16
  wmma::store_matrix_sync(c, sum, 64, wmma::mem_col_major);
//                        ^ store 8/8
}

__global__ void copies(const float *a, float *out, int n) {
  __shared__ float s[4 * 128];
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + 4 * threadIdx.x)), part;
  asm volatile("cp.async.cg.shared.global [%0], [%1 + 16], 16, %2;" ::"r"(to),
//                                                                        ^^ store 4/4
               "l"(a + 4 * threadIdx.x), "r"(threadIdx.x < 16 ? 16 : 0));
//                 ^^^^^^^^^^^^^^^^^^^ load 9/8
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.shared.u32 %0, [%2]; }"
               : "=r"(part)
               : "r"((int)(threadIdx.x % 2)), "r"(to));
//                                                ^^ load 4/1
  asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 8 * threadIdx.x), "f"(0.0f));
//                                                              ^^^^^^^^^^^^^^^^^^^^^ store 32/16
}

void run(const half *h, half *hc, const signed char *b, int *bc, const float *f, float *fc, const double *d, double *dc,
         int n) {
  halves<<<n, 32>>>(h, hc);
  bytes<<<n, 32>>>(b, bc);
  floats<<<n, 32>>>(f, fc);
  doubles<<<n, 32>>>(d, dc);
  copies<<<n, 32>>>(f, fc, n);
}
