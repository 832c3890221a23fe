// Fields of aligned structures: neighbours read or written in one stretch of straight code move in one instruction.
struct Plain { float a, b, c, d; };
struct __align__(8) Complex { float re, im; };

__global__ void allFour(const float4 *__restrict__ p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x;
  //        ^^^^^^ load 16/16
  float y = p[i].y;
  //        ^^^^^^ load fused
  float z = p[i].z;
  //        ^^^^^^ load fused
  float w = p[i].w;
  //        ^^^^^^ load fused
  out[i] = x + y + z + w;
//^^^^^^ store 4/4
}

// From the second field on: one of four bytes, then the aligned upper half.
__global__ void upperThree(const float4 *__restrict__ p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float y = p[i].y;
  //        ^^^^^^ load 16/4
  float z = p[i].z;
  //        ^^^^^^ load 16/8
  float w = p[i].w;
  //        ^^^^^^ load fused
  out[i] = y + z + w;
//^^^^^^ store 4/4
}

__global__ void unalignedType(const Plain *__restrict__ p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = p[i].a;
  //        ^^^^^^ load 16/4
  float b = p[i].b;
  //        ^^^^^^ load 16/4
  out[i] = a + b;
//^^^^^^ store 4/4
}

// The store between may write what the second load reads.
__global__ void storeBetween(const float4 *p, float *out, float *other) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].x;
//^^^^^^ store 4/4
  //       ^^^^^^ load 16/4
  other[i] = p[i].y;
//^^^^^^^^ store 4/4
  //         ^^^^^^ load 16/4
}

__global__ void updated(Complex *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i].re += 1.0f;
//^^^^^^^ load 8/8
//^^^^^^^ store fused
  c[i].im += 2.0f;
//^^^^^^^ load fused
//^^^^^^^ store 8/8
}

// An arm that becomes a select does not end the straight code.
__global__ void selectBetween(const float2 *__restrict__ p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x;
  //        ^^^^^^ load 8/8
  float y = 1.0f;
  if (x > 0.0f) y = 1.0f - x;
  out[i] = y * p[i].y;
//^^^^^^ store 4/4
  //           ^^^^^^ load fused
}

// The arm with a store does.
__global__ void branchBetween(const float2 *__restrict__ p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x;
  //        ^^^^^^ load 8/4
  if (i % 64 < 32) out[i] = x;
  //               ^^^^^^ store 4/4
  out[i] = p[i].y;
//^^^^^^ store 4/4
  //       ^^^^^^ load 8/4
}

void launches(const float4 *p, const Plain *plain, Complex *c, float *out, float *other) {
  allFour<<<64, 128>>>(p, out);
  upperThree<<<64, 128>>>(p, out);
  unalignedType<<<64, 128>>>(plain, out);
  storeBetween<<<64, 128>>>(p, out, other);
  updated<<<64, 128>>>(c);
  selectBetween<<<64, 128>>>((const float2 *)c, out);
  branchBetween<<<64, 128>>>((const float2 *)c, out);
}
