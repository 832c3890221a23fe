// Masks that known numbers settle, and lanes that do not fit them.
__global__ void halves(const float *in, float *out) {
  int t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  v += __shfl_xor_sync(0xffff, v, 8);
//     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ caller-unnamed error
  out[blockIdx.x * 64 + t] = v;
}

__global__ void quarter(const float *in, float *out) {
  int t = threadIdx.x;
  float v = in[blockIdx.x * 64 + t];
  if (t % 32 < 8) v += __shfl_xor_sync(0x0000ffff, v, 4);
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-absent error
  out[blockIdx.x * 64 + t] = v;
}

__global__ void farLane(const float *in, float *out) {
  int lane = threadIdx.x % 32;
  float v = in[blockIdx.x * 64 + threadIdx.x];
  if (lane < 16) {
    v += __shfl_sync(0xffff, v, 31);
//       ^^^^^^^^^^^^^^^^^^^^^^^^^^ source-inactive error
    __syncwarp(0xff);
//  ^^^^^^^^^^^^^^^^ caller-unnamed error
  }
  out[blockIdx.x * 64 + threadIdx.x] = v;
}

__global__ void narrow(const float *in, float *out) {
  float v = in[threadIdx.x];
  v += __shfl_xor_sync(0xffffffff, v, 16);
//     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ source-inactive error
  out[threadIdx.x] = v;
}

__device__ int votes(unsigned mask, int v) { return __popc(__ballot_sync(mask, v > 0)); }
//                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^ caller-unnamed error

__global__ void counted(const int *in, int *out) {
  int t = threadIdx.x;
  if (t < 24) out[t] = votes((1u << 16) - 1, in[t]);
}

void launch(const float *in, float *out, const int *values, int *counts) {
  halves<<<16, 64>>>(in, out);
  quarter<<<16, 64>>>(in, out);
  farLane<<<16, 64>>>(in, out);
  narrow<<<1, 16>>>(in, out);
  counted<<<1, 64>>>(values, counts);
}
