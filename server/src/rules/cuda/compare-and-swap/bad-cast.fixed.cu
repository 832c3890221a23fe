// A difference of float, whose pointer is cast in the call.
// trades for: cuda/atomic-contention global
__global__ void collect(const float *y, float *difference, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(difference, -y[i]);
}

void run(const float *y, float *difference, int n) { collect<<<(n + 255) / 256, 256>>>(y, difference, n); }
