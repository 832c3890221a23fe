// A table that a block copies to shared memory before the rounds that use it, and one that each round reads by lane.
__constant__ unsigned copied[1024];
__constant__ unsigned direct[1024];

__global__ void rounds(const unsigned *in, unsigned *out, int count) {
  __shared__ unsigned own[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) own[i] = copied[i];
//                                                       ^^^^^^^^^ divergent warning
  __syncthreads();
  unsigned x = in[blockIdx.x * 256 + threadIdx.x];
  for (int round = 0; round < count; round++) x = own[x % 1024] ^ own[x / 1024 % 1024];
  out[blockIdx.x * 256 + threadIdx.x] = x;
}

__global__ void lanes(const unsigned *in, unsigned *out, int count) {
  unsigned x = in[blockIdx.x * 256 + threadIdx.x];
  for (int round = 0; round < count; round++) x ^= direct[(threadIdx.x + round) % 1024];
//                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ divergent warning
  out[blockIdx.x * 256 + threadIdx.x] = x;
}

void run(const unsigned *in, unsigned *out, int count) {
  rounds<<<640, 256>>>(in, out, count);
  lanes<<<640, 256>>>(in, out, count);
}
