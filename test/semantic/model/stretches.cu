// What ends a stretch of straight code, in which the compiler merges neighbours: branches inside of functions, assembly.
#include <cuda_fp16.h>
__global__ void ends(float2 *out, const float2 *in, half2 *halves, int2 *whole, double2 *wide, float w) {
  const int i = threadIdx.x;
  const float2 v = in[i];
//                 ^^^^^ load 8/8
  out[i + 32].x = expf(v.x);
//^^^^^^^^^^^^^ store fused
  out[i + 32].y = expf(v.y);
//^^^^^^^^^^^^^ store 8/8
  out[i + 64].x = sinf(v.x);
//^^^^^^^^^^^^^ store 8/4
  out[i + 64].y = sinf(v.y);
//^^^^^^^^^^^^^ store 8/4
  out[i + 96].x = v.x;
//^^^^^^^^^^^^^ store fused
  out[i + 96].y = sqrtf(v.y) / w;
//^^^^^^^^^^^^^ store 8/8
  out[i + 128].x = v.x;
//^^^^^^^^^^^^^^ store 8/4
  out[i + 128].y = pow(v.y, w);
//^^^^^^^^^^^^^^ store 8/4
  wide[i + 160].x = v.x;
//^^^^^^^^^^^^^^^ store fused
  wide[i + 160].y = sqrt((double)v.y);
//^^^^^^^^^^^^^^^ store 16/16
  wide[i + 192].x = v.x;
//^^^^^^^^^^^^^^^ store 16/8
  wide[i + 192].y = exp((double)v.y);
//^^^^^^^^^^^^^^^ store 16/8
  out[i + 224].x = v.x;
//^^^^^^^^^^^^^^ store 8/4
  out[i + 224].y = __shfl_down_sync(0xffffffffu, v.y, 1);
//^^^^^^^^^^^^^^ store 8/4
  whole[i + 256].x = __float_as_int(v.x);
//^^^^^^^^^^^^^^^^ store fused
  whole[i + 256].y = __popc((int)v.y);
//^^^^^^^^^^^^^^^^ store 8/8
  int moved;
  whole[i + 288].x = 1;
//^^^^^^^^^^^^^^^^ store 8/4
  asm("mov.b32 %0, %1;" : "=r"(moved) : "r"(i));
  whole[i + 288].y = moved;
//^^^^^^^^^^^^^^^^ store 8/4
  halves[i + 320].x = __float2half(v.x);
//^^^^^^^^^^^^^^^^^ store 4/2
  halves[i + 320].y = __float2half(v.y);
//^^^^^^^^^^^^^^^^^ store 4/2
  const half a = __float2half(v.x), b = __float2half(v.y);
  halves[i + 352].x = a;
//^^^^^^^^^^^^^^^^^ store fused
  halves[i + 352].y = b;
//^^^^^^^^^^^^^^^^^ store 4/4
  halves[i + 384].x = a * a;
//^^^^^^^^^^^^^^^^^ store 4/2
  halves[i + 384].y = a * b;
//^^^^^^^^^^^^^^^^^ store 4/2
}
__global__ void loads(float *out, const float2 *in, const half2 *halves) {
  const int i = threadIdx.x;
  out[i] = cosf(in[i].x) + cosf(in[i].y);
//^^^^^^ store 4/4
//              ^^^^^^^ load 8/4
//                              ^^^^^^^ load 8/4
  out[i] = rsqrtf(in[i].x) + rsqrtf(in[i].y);
//^^^^^^ store 4/4
//                ^^^^^^^ load 8/8
//                                  ^^^^^^^ load fused
  out[i] = __half2float(halves[i].x) + __half2float(halves[i].y);
//^^^^^^ store 4/4
//                      ^^^^^^^^^^^ load 4/2
//                                                  ^^^^^^^^^^^ load 4/2
}
// A condition that is settled when the code is compiled is no branch.
template <int Kind> __global__ void settled(float2 *out, const float2 *in) {
  const int i = threadIdx.x;
  float2 v = in[i];
//           ^^^^^ load 8/8
  out[i].x = v.x;
//^^^^^^^^ store fused
  if (Kind == 1) v.y += 1;
  out[i].y = v.y;
//^^^^^^^^ store 8/8
}
int main() {
  settled<1><<<1, 32>>>(nullptr, nullptr);
  ends<<<1, 32>>>(nullptr, nullptr, nullptr, nullptr, nullptr, 2);
  loads<<<1, 32>>>(nullptr, nullptr, nullptr);
}
