// fix: Fuse into one kernel
// Elementwise kernels in a row: what the first one writes is read by the second, thread by thread.
#include <cstdio>

__global__ void addBias(const float *in, const float *bias, float *out, int n, int columns)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + bias[i % columns];
}

__global__ void silu(float *values, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] / (1.0f + expf(-values[i]));
}

void activate(const float *in, const float *bias, float *out, int n, int columns)
{
  addBias<<<(n + 255) / 256, 256>>>(in, bias, out, n, columns);
  silu<<<(n + 255) / 256, 256>>>(out, n);
}

// Early returns, a check of errors between the two, and the same name for different things.
__global__ void scaleBy(const float *x, float *y, float factor, int n)
{
  const int at = blockDim.x * blockIdx.x + threadIdx.x;
  if (at >= n) return;
  y[at] = factor * x[at];
}

__global__ void addTo(const float *y, float *x, int count)
{
  const int at = threadIdx.x + blockIdx.x * blockDim.x;
  if (at >= count) return;
  // The thread's own element.
  x[at] += y[at];
}

void combine(const float *given, float *scaled, float *sums, float factor, int n)
{
  const dim3 block(128);
  scaleBy<<<n / 128, block>>>(given, scaled, factor, n);
  if (cudaGetLastError() != cudaSuccess) printf("scaleBy failed\n");
  addTo<<<n / 128, block>>>(scaled, sums, n);
}

// Two axes.
__global__ void shade(const float *in, float *out, int width, int height)
{
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) out[row * width + column] = 0.5f * in[row * width + column];
}

__global__ void clampTo(float *image, int width, int height, float most)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
  {
    image[y * width + x] = fminf(image[y * width + x], most);
  }
}

void tone(const float *in, float *out, int width, int height, cudaStream_t stream)
{
  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  shade<<<grid, block, 0, stream>>>(in, out, width, height);
  clampTo<<<grid, block, 0, stream>>>(out, width, height, 1.0f);
}
