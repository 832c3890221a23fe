// Bases that are operations: named where they would be written more than twice, two of one statement in its braces.
__device__ float schlick(float cosine, float r) {
  return r + (1.0f - r)*powf(1.0f - cosine, 5.0f);
  //                    ^^^^^^^^^^^^^^^^^^^^^^^^^ power
}

__global__ void likelihood(const int *image, const int *at, double *y, int n) {
  double sum = schlick(y[threadIdx.x], 0.5f);
  for (int i = 0; i < n; i++)
    sum += pow((double)(image[at[i]] - 100 + 2 * n), 2) - pow((double)(image[at[i]] - 228 + 2 * n), 2);
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
//                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  for (int i = 0; i < n; i++) sum += pow(image[i] + 0.5 * y[image[i] & 31], 2) - pow(image[i] - 0.5 * y[31 - i], 2);
//                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
//                                                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  y[threadIdx.x] = sum + pow(sum - n, 2);
//                       ^^^^^^^^^^^^^^^ power
}

void run(const int *image, const int *at, double *y, int n) { likelihood<<<1000, 256>>>(image, at, y, n); }
