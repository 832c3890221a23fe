// Rows of 18 words: of an unrolled loop nvcc makes accesses of 64 bits, whose half warps meet in no bank. References to
// arrays may be `__restrict__` behind a macro, and functions `noexcept`.
#define NOALIAS __restrict__
struct Cells {
  float cell[18 * 512];
};

__device__ static inline void put(const float (&NOALIAS from)[19], float (&NOALIAS tile)[18 * 512]) noexcept {
  int t = threadIdx.x + 8 * (threadIdx.y + 8 * threadIdx.z);
  for (int q = 0; q < 18; q++) tile[t * 18 + q] = from[q + 1];
  __syncthreads();
}

__device__ static inline void get(float (&NOALIAS to)[19], const float (&NOALIAS tile)[18 * 512]) noexcept {
  int t = (threadIdx.x + 1) % 8 + 8 * (threadIdx.y + 8 * threadIdx.z);
  for (int q = 0; q < 18; q++) to[q + 1] = tile[t * 18 + q];
}

__global__ void stream(float *f, int n) {
  __shared__ Cells s;
  float kept[19];
  int c = blockIdx.x * 512 + threadIdx.x + 8 * (threadIdx.y + 8 * threadIdx.z);
  for (int q = 0; q < 19; q++) kept[q] = f[q * n + c];
  put(kept, s.cell);
  get(kept, s.cell);
  for (int q = 0; q < 19; q++) f[q * n + c] = kept[q];
}

void go(float *f, int n) { stream<<<n / 512, dim3(8, 8, 8)>>>(f, n); }
