// A difference of float, whose pointer is cast in the call; a sum of double that reads the place each time.
// trades for: cuda/atomic-contention global
__device__ void addTo(double *place, double value) {
  atomicAdd(place, value);
}

__global__ void collect(const float *y, float *difference, double *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  addTo(sum, y[i]);
  atomicAdd(difference, -y[i]);
}

void run(const float *y, float *difference, double *sum, int n) {
  collect<<<(n + 255) / 256, 256>>>(y, difference, sum, n);
}
