// Bytes of packed blocks: a warp's reads reach over 144 bytes, of which each asks for five sectors instead of one.
struct Block {
  unsigned short scale;
  unsigned char quants[16];
};

__global__ void unpack(const Block *blocks, float *out, int n) {
  const int block = 8 * blockIdx.x + threadIdx.x % 8;
  const int part = threadIdx.x / 8;
  if (block >= n) return;
  const Block *its = blocks + block;
  for (int k = 0; k < 4; k++) out[128 * k + threadIdx.x] = its->quants[4 * part + k];
//                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^ short-rows warning
}

void run(const Block *blocks, float *out, int n) { unpack<<<(n + 7) / 8, 32>>>(blocks, out, n); }
