// Divisions by what the host passes: of indices, and in a function that a loop calls.
__device__ float gaussian(float v, float s) { return expf(-0.5f * v * v) / (s * 2.50662827f); }
//                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ real-divisor

__global__ void density(const float *x, float *y, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; k++) sum += gaussian(k * 0.01f + i, s);
  if (i < n) y[i] = sum;
}

struct Shape { int channels, height, width; };
__global__ void pooled(const float *x, float *y, Shape shape, int total) {
  const int plane = shape.height * shape.width;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
    int column = i % shape.width, row = i / shape.width % shape.height;
    //           ^^^^^^^^^^^^^^^ divisor
    int channel = i / plane % shape.channels, image = i / plane / shape.channels;
    y[i] = x[i] + 2 * column + row + channel + image;
  }
}

void run(const float *x, float *y, float s, Shape shape, int n) {
  density<<<(n + 255) / 256, 256>>>(x, y, s, n);
  pooled<<<1056, 256>>>(x, y, shape, n);
}
