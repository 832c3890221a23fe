// Lanes that add to one place: a matter of warning in a kernel of many blocks, and none in a kernel of one.
__global__ void norm(const float *x, float *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i] * x[i]);
//                     ^^^ global warning
}

__global__ void normOfSmall(const float *x, float *total) {
  const int i = threadIdx.x;
  atomicAdd(total, 0.5f * x[i]);
//          ^^^^^ global hint
}

void run(const float *x, float *sum, float *total, int n) {
  norm<<<(n + 255) / 256, 256>>>(x, sum, n);
  normOfSmall<<<1, 64>>>(x, total);
}
