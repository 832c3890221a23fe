// Few addresses for the whole grid: bins of bytes, of a mask and of a remainder, an array of the file, one counter.
#define BINS 16
__device__ unsigned ofFile[64];

__global__ void bins(const unsigned char *x, unsigned *histogram, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&histogram[x[i]], 1u);
//             ^^^^^^^^^^^^^^^ few warning
}

__global__ void remainders(const int *x, const float *y, unsigned *counts, float *sums, int *most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = x[i] % BINS;
  atomicAdd(&counts[bin], 1u);
//           ^^^^^^^^^^^ few warning
  atomicAdd(sums + (x[i] & 7), y[i]);
//          ^^^^^^^^^^^^^^^^^ few warning
  atomicMax(most, x[i]);
//          ^^^^ counter hint
  atomicAdd(&ofFile[x[i]], 1u);
//           ^^^^^^^^^^^^ few warning
}

void run(const unsigned char *b, const int *x, const float *y, unsigned *counts, float *sums, int *most, int n) {
  bins<<<128, 256>>>(b, counts, n);
  remainders<<<(n + 255) / 256, 256>>>(x, y, counts, sums, most, n);
}
