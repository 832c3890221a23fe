// Data decide where the lanes read a table: no layout suits all of them.
#define SIZE 576
__global__ void score(const short *matrix, const short *codes, const char *a, const char *b, int *out, int length) {
  __shared__ short scores[SIZE];
  __shared__ short encoded[91];
  int tid = threadIdx.x;
  for (int p = tid; p < SIZE; p += blockDim.x) scores[p] = matrix[p];
  for (int p = tid; p < 91; p += blockDim.x) encoded[p] = codes[p];
  __syncthreads();
  char mine = b[blockIdx.x * blockDim.x + tid];
  int sum = 0;
  for (int k = 0; k < length; k++) {
    char c = a[k];
    short row = encoded[(int)c];
    short column = encoded[(int)mine];
//                 ^^^^^^^^^^^^^^^^^^ other
    sum += scores[row * 24 + column];
//         ^^^^^^^^^^^^^^^^^^^^^^^^^ other
  }
  out[blockIdx.x * blockDim.x + tid] = sum;
}
void run(const short *m, const short *codes, const char *a, const char *b, int *out, int n) {
  score<<<n, 256>>>(m, codes, a, b, out, n);
}
