// A tile with a border, filled by strides of the block up to an end that nothing here tells: columns end where rows do.
constexpr int edge = 32;
constexpr int most = 16;
constexpr int row = edge + most - 1;

__shared__ float tile[row][row];

__global__ void convolve(const unsigned char *in, float *out, size_t pitch, size_t size) {
  for (int y = threadIdx.y; y < edge + size - 1; y += edge)
    for (int x = threadIdx.x; x < edge + size - 1; x += edge)
      tile[y][x] = static_cast<float>(in[(y + blockIdx.y * blockDim.y) * pitch + (x + blockIdx.x * blockDim.x)]);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) sum += tile[threadIdx.y + i][threadIdx.x + j];
  out[(blockIdx.y * edge + threadIdx.y) * pitch + blockIdx.x * edge + threadIdx.x] = sum;
}

void run(const unsigned char *in, float *out, size_t pitch, size_t size, size_t rows) {
  convolve<<<dim3(pitch / edge, rows / edge), dim3(edge, edge)>>>(in, out, pitch, size);
}
