// Blocks that end faster than new ones begin, and one thread for all data.
__global__ void copy(float *to, const float *from, size_t n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}

__global__ void scale(char *values, char factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

__global__ void sort(int *values, int n) {
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - i - 1; j++)
      if (values[j] > values[j + 1]) {
        int kept = values[j];
        values[j] = values[j + 1];
        values[j + 1] = kept;
      }
}

void run(float *to, const float *from, int *keys, int n) {
  const size_t all = 1 << 26;
  copy<<<all / 64, 64>>>(to, from, all);
//                 ^^ short warning
  scale<<<all / 128, 128>>>((char *)to, 2, all);
//                   ^^^ short warning
  sort<<<1, 1>>>(keys, n);
//       ^ serial information
}
