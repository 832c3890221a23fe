// A grid-stride loop keeps several loads of a thread under way.
__global__ void loop(const unsigned char *in, unsigned char *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 255 - in[i];
}

// Vectors already.
__global__ void wide(const uchar4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float4(in[i].x, in[i].y, in[i].z, in[i].w);
}

// Data decide who stores, lanes meet in a shuffle, or neighbours come from shared memory.
__global__ void selected(const unsigned char *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 3) out[i] = in[i];
}
__global__ void passed(const unsigned char *in, unsigned char *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __shfl_xor_sync(~0u, int(in[i]), 1);
}
__global__ void turned(const unsigned char *in, unsigned char *out) {
  __shared__ unsigned char tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[255 - threadIdx.x];
}
__global__ void looked(const unsigned char *in, const int *at, unsigned char *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[at[i]];
}

void run(const unsigned char *in, unsigned char *out, float4 *vectors, const int *at) {
  const int n = 1 << 24;
  loop<<<1024, 256>>>(in, out, n);
  wide<<<n / 1024, 256>>>((const uchar4 *)in, vectors, n / 4);
  selected<<<n / 256, 256>>>(in, out, n);
  passed<<<n / 256, 256>>>(in, out);
  turned<<<n / 256, 256>>>(in, out);
  looked<<<n / 256, 256>>>(in, at, out);
}
