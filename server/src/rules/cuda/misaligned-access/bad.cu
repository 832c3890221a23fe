// Vectors at addresses that are no multiple of their size.
__global__ void shifted(const float *in, float *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 v = *(const float4 *)(in + 4 * i + 1);
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from-start error
  out[i] = v.x + v.w;
}

__global__ void byThrees(const float *in, float *out) {
  __shared__ int s[192];
  int t = threadIdx.x;
  for (int k = 0; k < 3; k++) s[t + 64 * k] = in[t + 64 * k];
  __syncthreads();
  int2 pair = *reinterpret_cast<int2 *>(&s[t * 3]);
//            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ between-threads error
  out[t] = pair.x + pair.y;
}

__global__ void packed(const unsigned char *in, float *out) {
  int t = threadIdx.x;
  out[t] = *reinterpret_cast<const float *>(in + 5 * t);
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from-start error
}

__global__ void rows(const float *in, float *out, int n) {
  int t = threadIdx.x;
  float2 v = reinterpret_cast<const float2 *>(in + blockIdx.x * 64 + t)[n];
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ from-start error
  out[blockIdx.x * 64 + t] = v.x + v.y;
}

void launch(const unsigned char *bytes, int n) {
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  shifted<<<64, 64>>>(in, out);
  byThrees<<<1, 64>>>(in, out);
  packed<<<1, 64>>>(bytes, out);
  rows<<<64, 64>>>(in, out, n);
}
