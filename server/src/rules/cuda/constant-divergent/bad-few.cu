// A table of four: no warp reads more places of it, whatever the numbers of its lanes.
__constant__ unsigned long long modulus[4], inverse[64];

__global__ void reduce(unsigned long long *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] ^= modulus[threadIdx.x];
//                        ^^^^^^^^^^^^^^^^^^^^ divergent warning
}

__global__ void invert(unsigned long long *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] ^= inverse[threadIdx.x];
//                        ^^^^^^^^^^^^^^^^^^^^ divergent warning
}

void run(unsigned long long *values, int n) {
  reduce<<<(n + 63) / 64, 64>>>(values, n);
  invert<<<(n + 63) / 64, 64>>>(values, n);
}
