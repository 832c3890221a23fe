// Bit-reversed order within a block: no stride, but no neighbours either.
__global__ void bitReverse(const float *in, float *out) {
  int base = blockIdx.x * 256;
  int t = threadIdx.x;
  int reversed = ((t & 1) << 7) | ((t & 2) << 5) | ((t & 4) << 3) | ((t & 8) << 1) | ((t & 16) >> 1) | ((t & 32) >> 3) | ((t & 64) >> 5) | ((t & 128) >> 7);
  out[base + t] = in[base + reversed];
  //              ^^^^^^^^^^^^^^^^^^^ scattered warning
}

void reverse(const float *in, float *out, int blocks) { bitReverse<<<blocks, 256>>>(in, out); }
