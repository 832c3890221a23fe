// Launchers that take the kernel, its shape and its arguments: each call is shown as the launch that it asks for.
#include <utility>

__global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

__global__ void rows(const float *a, float *sums, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; k++) sum += a[row * width + k];
  sums[row] = sum;
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments &&...arguments) {
  kernel<<<grid, block>>>(std::forward<Arguments>(arguments)...);
}

template <typename Kernel, typename... Arguments>
void launchAndCheck(Kernel kernel, dim3 grid, dim3 block, Arguments... arguments) {
  launch(kernel, grid, block, arguments...);
  if (cudaGetLastError() != cudaSuccess) throw "launch failed";
}

// The block is this function's own: what it says of it belongs here.
template <typename Kernel, typename... Arguments>
void launchOver(int n, Kernel kernel, Arguments... arguments) {
  kernel<<<(n + 47) / 48, 48>>>(arguments..., n);
//                        ^^ not-warps
}

template <auto Kernel, typename... Arguments>
void launchNamed(dim3 grid, dim3 block, Arguments... arguments) {
  Kernel<<<grid, block>>>(arguments...);
}

void run(const float *a, float *x, float *sums, int n) {
  launch(scale, n / 48, 48, x, 2.0f, n);
//                      ^^ not-warps
  launchAndCheck(rows, 4096, 1, a, sums, 4096);
//                           ^ one-thread
  launchAndCheck(scale, n / 256, 256, x, 2.0f, n);
  launchOver(n, scale, x, 2.0f);
  launchNamed<scale>(n / 40, 40, x, 2.0f, n);
//                           ^^ not-warps
}
