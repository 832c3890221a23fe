// Data decide where the lanes read a table: no layout suits all of them.
__global__ void score(const short *matrix, const char *codes, const char *a, const char *b, int *out, int length) {
  __shared__ short scores[1024], encoded[128];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) scores[k] = matrix[k];
  if (threadIdx.x < 128) encoded[threadIdx.x] = codes[threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < length; k++) {
    short row = encoded[(int)a[k * 256 + threadIdx.x]];
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ other
    short column = encoded[(int)b[k]];
    sum += scores[row * 24 + column];
//         ^^^^^^^^^^^^^^^^^^^^^^^^^ other
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void run(const short *matrix, const char *codes, const char *a, const char *b, int *out, int n) {
  score<<<n, 256>>>(matrix, codes, a, b, out, n);
}
