// Patterns by what the lanes do: eight elements a thread in rows of several threads, and rows whose neighbours the next
// warp reads.
__global__ void eights(float *c, int n, float f) {
  int tc = threadIdx.x % 16, tr = threadIdx.x / 16;
  for (int k = 0; k < 8; k++)
    c[tr * n + tc * 8 + k] = f;
//  ^^^^^^^^^^^^^^^^^^^^^^ stride warning
}
__global__ void vectors(float *c, int n, float4 f) {
  int tc = threadIdx.x % 16, tr = threadIdx.x / 16;
  *reinterpret_cast<float4 *>(&c[tr * n + tc * 8]) = f;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ scattered warning
}

__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[33 * 32], tb[33 * 32];
  int r = threadIdx.x / 32, q = threadIdx.x % 32;
  const float *pa = a + (blockIdx.x * 32 + q) * n, *pb = b + blockIdx.y * 32;
  float s = 0;
  for (int t = 0; t < n; t += 32) {
    ta[q * 33 + r] = pa[t + r];
//                   ^^^^^^^^^ slow-axis warning
    tb[q * 33 + r] = pb[(t + q) * n + r];
//                   ^^^^^^^^^^^^^^^^^^^ slow-axis warning
    __syncthreads();
    for (int k = 0; k < 32; k++) s += ta[q * 33 + k] * tb[k * 33 + r];
    __syncthreads();
  }
  c[(blockIdx.x * 32 + q) * n + blockIdx.y * 32 + r] = s;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ slow-axis
}

void go(float *c, float4 *many, const float *a, const float *b, int n) {
  eights<<<256, 256>>>(c, 128, 2.0f);
  vectors<<<4096, 256>>>(c, n, float4());
  tiles<<<dim3(n / 32, n / 32), 1024>>>(a, b, c, n);
}
