// A difference of float, whose pointer is cast in the call.
// trades for: cuda/atomic-contention global
__global__ void collect(const float *y, float *difference, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int old = __float_as_int(*difference), assumed;
  do {
    assumed = old;
    old = atomicCAS((int *)difference, assumed, __float_as_int(__int_as_float(assumed) - y[i]));
//                         ^^^^^^^^^^ loop warning
  } while (assumed != old);
}

void run(const float *y, float *difference, int n) { collect<<<(n + 255) / 256, 256>>>(y, difference, n); }
