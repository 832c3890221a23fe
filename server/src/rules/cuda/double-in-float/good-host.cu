// Host code may be as precise as it likes, and integers are not floats.
#include <cmath>
#include <cstdio>

__global__ void index(const float *x, int *bucket, int n, int buckets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bucket[i] = (int)(x[i] * 0.99 * buckets);
  if (i == 0) printf("%f\n", x[i] * 0.5);
}

float reference(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * 0.1 + pow(x[i], 2);
  return sum / 3.0;
}

float run(const float *x, int *bucket, int n) {
  float scale = 0.3 * n;
  index<<<(n + 255) / 256, 256>>>(x, bucket, n, 16);
  return reference(x, n) * scale * 1.1;
}
