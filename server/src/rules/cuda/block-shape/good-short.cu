// Small blocks that have enough to do, of which there may be few, or that the kernel needs, and one thread that is done
// at once.
__global__ void copy(float *to, const float *from, size_t n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}

__global__ void iterate(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (int k = 0; k < 1000; k++) value = value * value - 0.7f;
  values[i] = value;
}

__global__ void __launch_bounds__(64) bounded(float *values) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

__global__ void offsets(int *ends) {
  for (int i = 1; i < 8; i++) ends[i] += ends[i - 1];
}

void run(float *to, const float *from, int *ends, int n) {
  const size_t all = 1 << 26;
  copy<<<132 * 32, 64>>>(to, from, all);
  copy<<<all / 256, 256>>>(to, from, all);
  copy<<<(n + 63) / 64, 64>>>(to, from, n);
  iterate<<<all / 64, 64>>>(to, all);
  bounded<<<all / 64, 64>>>(to);
  offsets<<<1, 1>>>(ends);
}
