// Eight halves a thread, stored by pairs; and pixels of four bytes, of which the last may be cut off.
#include <cuda_fp16.h>
#define PAIR(value) (reinterpret_cast<half2 *>(&(value))[0])

__global__ void doubled(const half *__restrict__ in, half *__restrict__ out, int n) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 7 >= n) return;
  half2 a = __halves2half2(in[0], in[1]);
  half2 b = __hadd2(a, a), c = __hadd2(a, b), d = __hadd2(b, c);
  if (reinterpret_cast<size_t>(&out[i + 0]) % 16 == 0) {
    alignas(16) half2 parts[4];
    parts[0] = a;
    parts[1] = b;
    parts[2] = c;
    parts[3] = d;
    *reinterpret_cast<uint4 *>(&out[i + 0]) = *reinterpret_cast<const uint4 *>(parts);
  } else {
    PAIR(out[i + 0]) = a;  // from here
    PAIR(out[i + 2]) = b;
    PAIR(out[i + 4]) = c;
    PAIR(out[i + 6]) = d;
  }
}

__global__ void paint(unsigned char *pixels, int bytes, unsigned char red, unsigned char green) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (reinterpret_cast<size_t>(&pixels[at + 0]) % 4 == 0 && at + 0 < bytes && at + 1 < bytes && at + 2 < bytes && at + 3 < bytes) {
    alignas(4) unsigned char parts[4];
    parts[0] = red;
    parts[1] = green;
    parts[2] = red;
    parts[3] = 255;
    *reinterpret_cast<unsigned int *>(&pixels[at + 0]) = *reinterpret_cast<const unsigned int *>(parts);
  } else {
    if (at + 0 < bytes) pixels[at + 0] = red;
    if (at + 1 < bytes) pixels[at + 1] = green;
    if (at + 2 < bytes) pixels[at + 2] = red;
    if (at + 3 < bytes) pixels[at + 3] = 255;
  }
}

void launch(const half *in, half *out, unsigned char *pixels, int n) {
  doubled<<<n / 2048, 256>>>(in, out, n);
  paint<<<(n + 1023) / 1024, 256>>>(pixels, n, 10, 20);
}
