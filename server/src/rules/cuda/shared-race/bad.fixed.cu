constexpr int tile = 16;

__global__ void reverse(float *d) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[255 - t];
}

__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile + 2], bs[tile][tile];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  for (int m = 0; m < n / tile; m++) {
    as[ty][tx] = a[(blockIdx.y * tile + ty) * n + m * tile + tx];
    bs[ty][tx] = b[(m * tile + ty) * n + blockIdx.x * tile + tx];
    __syncthreads();
    for (int k = 0; k < tile; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * tile + ty) * n + blockIdx.x * tile + tx] = sum;
}

__device__ void keep(float *s, float value) { s[threadIdx.x] = value; }

__global__ void neighbours(const float *in, float *out) {
  extern __shared__ float parts[];
  float *right = parts + blockDim.x;
  keep(right, in[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int k = 1; k < 3; k++) out[k * 128 + threadIdx.x] = right[(threadIdx.x + k) % 128];
}

__global__ void read_by_some(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 64) {
    for (int i = 0; i < 64; i++) out[i * 64 + t] = s[t + i];
  }
}

void launch(float *a, float *b, float *c, int n) {
  reverse<<<1, 256>>>(a);
  product<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a, b, c, n);
  read_by_some<<<1, 128>>>(a, b);
  neighbours<<<1, 128, 2 * 128 * sizeof(float)>>>(a, b);
}
