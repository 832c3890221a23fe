// fix: ^Write `a \* a`
__device__ float bounded(float a, float b, float c) { return a < b ? a : b * c; }

__global__ void powers(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i];
  float sum = 0;
  for (int k = 0; k < 8; k++)
    sum += a * a * bounded(a,                     // at least
                           sum,                   // at most
                           bounded(a, a,
                                   sum));         // of both
  y[i] = sum;
}

void run(const float *x, float *y, int n) { powers<<<(n + 255) / 256, 256>>>(x, y, n); }
