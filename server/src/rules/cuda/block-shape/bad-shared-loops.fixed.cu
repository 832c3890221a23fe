// Few blocks whose loops share the work among all threads, in parts or by strides: more of them take less each.
__global__ void addParts(float *sums, const float *values) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const int all = gridDim.x * blockDim.x;
  const int count = 16 * 24 * 24;
  for (int i = count * me / all; i < count * (me + 1) / all; ++i) {
    int left = i;
    const int row = (left /= 1) % 16;
    atomicAdd(&sums[row], values[i]);
  }
}

__global__ void halve(float *values, int count) {
  const int stride = gridDim.x * 128;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < count; i += stride) values[i] *= 0.5f;
}

// The products in its head would be larger than an integer.
__global__ void addMany(float *sums, const float *values) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  const int all = gridDim.x * blockDim.x;
  const int count = 1 << 18;
  for (int i = count * me / all; i < count * (me + 1) / all; ++i) sums[i] = values[i];
}

void run(float *sums, float *values, int count) {
  const int blocks = 144;
  addParts<<<128, 64>>>(sums, values);
  halve<<<blocks, 128>>>(values, count);
  addMany<<<dim3(64), dim3(64)>>>(sums, values);
//          ^^^^^^^^ small-grid
}
