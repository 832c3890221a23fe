// How many lanes are below the bound is not known where each counts for an unknown number of elements.
template <unsigned HEAD, unsigned WIDTH, typename T>
__global__ void turned(T *q, unsigned bound, unsigned heads, unsigned rows) {
  unsigned lane = threadIdx.x;
  float angles[WIDTH];
  if (lane * WIDTH < bound) {
    for (unsigned i = 0; i < WIDTH; ++i)
      angles[i] = __powf(1e-4f, float(2 * ((lane * WIDTH + i) % (bound / 2))) / float(bound));
  }
  unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row < rows) {
    T *at = q + (row * heads + blockIdx.y) * HEAD + lane * WIDTH;
    for (unsigned i = 0; i < WIDTH; ++i) at[i] *= angles[i];
  }
}

template <typename T>
void turn(T *q, unsigned bound, unsigned heads, unsigned rows) {
  constexpr unsigned width = 16 / sizeof(T);
  dim3 block(16, 8), grid((rows + 7) / 8, heads);
  turned<16 * width, width, T><<<grid, block>>>(q, bound, heads, rows);
}
