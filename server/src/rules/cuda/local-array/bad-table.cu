// Each thread fills a table of constants before it reads an element of it.
__global__ void weigh(const int *__restrict__ key, float *__restrict__ out, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float weight[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  float sum = 0;
  for (int k = 0; k < terms; k++) sum += weight[key[k * n + i] & 15];
//                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^ value information
  out[i] = sum;
}

// Of a type of another size than registers have.
__global__ void scale(const int *__restrict__ key, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double power[8] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  out[i] *= power[key[i] & 7];
//          ^^^^^^^^^^^^^^^^^ value warning
}

void launch(const int *key, float *x, double *y, int n, int terms) {
  weigh<<<(n + 127) / 128, 128>>>(key, x, n, terms);
  scale<<<(n + 127) / 128, 128>>>(key, y, n);
}
