// One word of a record of 32 bytes: written by a kernel that stirs its state for long, and by one that only adds.
struct Record { unsigned digest, sum, nonce, rest[5]; };

__device__ unsigned turn(unsigned x, int by) { return x << by | x >> (32 - by); }

__device__ void stir(unsigned *s) {
  for (int round = 0; round < 64; round++) {
    for (int k = 0; k < 8; k++) s[k] = turn(s[k] + s[(k + 1) & 7], 7) ^ turn(s[(k + 3) & 7], 13) + 0x9e3779b9u * round;
  }
}

__global__ void digest(const unsigned *in, Record *records, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s[8];
  for (int k = 0; k < 8; k++) s[k] = in[k * n + i];
  stir(s);
  records[i].digest = s[0] ^ s[7];
//^^^^^^^^^^^^^^^^^ struct-field information
}

__global__ void total(const unsigned *in, Record *records, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
  for (int k = 0; k < 8; k++) sum += in[k * n + i];
  records[i].sum = sum;
//^^^^^^^^^^^^^^ struct-field warning
}

void run(const unsigned *in, Record *records, int n) {
  digest<<<n / 256, 256>>>(in, records, n);
  total<<<n / 256, 256>>>(in, records, n);
}

// The bits of a thread's number in reverse, of a length that the host alone knows.
__global__ void reverse(const float *in, float *out, int bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int reversed = 0;
  int rest = i;
  for (int bit = 0; bit < bits; bit++) {
    reversed = (reversed << 1) | (rest & 1);
    rest >>= 1;
  }
  out[reversed] = in[i];
//^^^^^^^^^^^^^ gather hint
}

void launchReverse(const float *in, float *out, int bits, int n) {
  reverse<<<(n + 255) / 256, 256>>>(in, out, bits, n);
}
