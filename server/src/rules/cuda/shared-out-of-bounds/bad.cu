constexpr int threads = 256;

__global__ void differences(const float *in, float *out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[t + 1] - s[t];
  //       ^^^^^^^^ beyond
}

__global__ void halo(const float *in, float *out) {
  __shared__ float s[threads + 2];
  int t = threadIdx.x;
  s[t + 1] = in[t + 1];
  if (t == 0) s[t - 1] = in[0];
  //          ^^^^^^^^ before
  if (t == threads - 1) s[t + 3] = in[threads + 1];
  //                    ^^^^^^^^ beyond
  __syncthreads();
  out[t] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void smaller(const float *in, float *out) {
  __shared__ float rows[8][17];
  for (int i = 0; i <= 8; i++) rows[i][threadIdx.x] = in[i * 16 + threadIdx.x];
  //                           ^^^^^^^^^^^^^^^^^^^^ beyond
  __syncthreads();
  out[threadIdx.x] = rows[threadIdx.x / 2][threadIdx.x % 16];
}

__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  for (int m = 0; m < n / 16; m++) {
    as[y][x] = a[y * n + m * 16 + x];
    bs[y][x] = b[(m * 16 + y) * n + x];
    __syncthreads();
    for (int k = 0; k <= 16; k++) sum += as[y][k] * bs[k][x];
    //                                              ^^^^^^^^ beyond
    //                                   ^^^^^^^^ beyond
    __syncthreads();
  }
  c[y * n + x] = sum;
}

void launch(float *a, float *b, int n) {
  differences<<<1, threads>>>(a, b);
  halo<<<1, threads>>>(a, b);
  smaller<<<1, 16>>>(a, b);
  product<<<1, dim3(16, 16)>>>(a, b, b + n, n);
}
