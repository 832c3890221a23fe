// Words that a build defines as `__restrict__` (`-DRESTRICT=…`), and a header that hands one on.
#define restrict RESTRICT_KEYWORD
#ifdef __VERSION__ // of compilers alone: for them this stands for the build
#define RESTRICT_KEYWORD __restrict__
#define MY_RESTRICT __restrict__
#endif

__global__ void path(float *const restrict sums, const float *const restrict values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) sums[i] += values[k * 256 + i];
}

__global__ void weighted(float *MY_RESTRICT sums, const float *MY_RESTRICT values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) sums[i] += 2.0f * values[k * 256 + i];
}
