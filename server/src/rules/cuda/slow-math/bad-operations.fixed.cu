// Bases that are operations: named where they would be written more than twice, two of one statement in its braces.
__device__ float schlick(float cosine, float r) {
  const float base = 1.0f - cosine;
  return r + (1.0f - r)*((base*base)*(base*base)*base);
}

__global__ void likelihood(const int *image, const int *at, double *y, int n) {
  double sum = schlick(y[threadIdx.x], 0.5f);
  for (int i = 0; i < n; i++) {
    const double base = (double)(image[at[i]] - 100 + 2 * n);
    const double base2 = (double)(image[at[i]] - 228 + 2 * n);
    sum += base * base - base2 * base2;
  }
  for (int i = 0; i < n; i++) {
    const double base3 = image[i] + 0.5 * y[image[i] & 31];
    sum += base3 * base3 - (image[i] - 0.5 * y[31 - i]) * (image[i] - 0.5 * y[31 - i]);
  }
  y[threadIdx.x] = sum + (sum - n) * (sum - n);
}

void run(const int *image, const int *at, double *y, int n) { likelihood<<<1000, 256>>>(image, at, y, n); }
