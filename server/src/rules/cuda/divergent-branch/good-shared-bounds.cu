// Loops of a warp or a block over a list whose length was loaded: its threads share the bound, and only the last iteration is uneven.
__global__ void lists(const int *lengths, const int *order, float *values) {
  const int lane = threadIdx.x % 32;
  const int list = order[(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32 + (lane & ~31)];
  int length = 0;
  if (lane < 32) length = lengths[order[threadIdx.x] + list];
  for (int i = lane; i < length; i += 32) {
    float value = values[i];
    for (int k = 0; k < 4; k++) value = value * 0.5f + 1.0f;
    values[i] = value;
  }
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    float value = values[i];
    for (int k = 0; k < 4; k++) value = value * 0.5f + 1.0f;
    values[i] = value;
  }
}

void launch(const int *lengths, const int *order, float *values) { lists<<<1000, 256>>>(lengths, order, values); }
