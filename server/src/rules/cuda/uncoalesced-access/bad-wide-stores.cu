// Eight halves a thread, stored by pairs; and pixels of four bytes, of which the last may be cut off.
#include <cuda_fp16.h>
#define PAIR(value) (reinterpret_cast<half2 *>(&(value))[0])

__global__ void doubled(const half *__restrict__ in, half *__restrict__ out, int n) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 7 >= n) return;
  half2 a = __halves2half2(in[0], in[1]);
  half2 b = __hadd2(a, a), c = __hadd2(a, b), d = __hadd2(b, c);
  PAIR(out[i + 0]) = a;  // from here
//^^^^^^^^^^^^^^^^ stride warning
  PAIR(out[i + 2]) = b;
//^^^^^^^^^^^^^^^^ stride hint
  PAIR(out[i + 4]) = c;
//^^^^^^^^^^^^^^^^ stride hint
  PAIR(out[i + 6]) = d;
//^^^^^^^^^^^^^^^^ stride hint
}

__global__ void paint(unsigned char *pixels, int bytes, unsigned char red, unsigned char green) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (at + 0 < bytes) pixels[at + 0] = red;
//                    ^^^^^^^^^^^^^^ stride warning
  if (at + 1 < bytes) pixels[at + 1] = green;
//                    ^^^^^^^^^^^^^^ stride hint
  if (at + 2 < bytes) pixels[at + 2] = red;
//                    ^^^^^^^^^^^^^^ stride hint
  if (at + 3 < bytes) pixels[at + 3] = 255;
//                    ^^^^^^^^^^^^^^ stride hint
}

void launch(const half *in, half *out, unsigned char *pixels, int n) {
  doubled<<<n / 2048, 256>>>(in, out, n);
  paint<<<(n + 1023) / 1024, 256>>>(pixels, n, 10, 20);
}
