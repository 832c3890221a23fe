// Vectors at multiples of their size, or at addresses that are not known.
__global__ void vectors(const float *in, float *out, int pitch) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 v = *(const float4 *)(in + 4 * i);
  float4 w = reinterpret_cast<const float4 *>(in + pitch)[i];
  float2 u = *(const float2 *)(in + 4 * i + 2);
  out[i] = v.x + w.y + u.x;
}

__global__ void back(const float *in, float *out) {
  float4 v = *(const float4 *)(in + 4 * threadIdx.x + 3);
  out[threadIdx.x] = v.x;
}

__global__ void bytes(const float *in, float *out) {
  __shared__ char raw[1024];
  __shared__ __align__(16) char store[1024];
  int t = threadIdx.x;
  float4 v = reinterpret_cast<const float4 *>(in)[t];
  reinterpret_cast<float4 *>(raw)[t] = v;
  reinterpret_cast<float4 *>(store)[t] = v;
  __syncthreads();
  v = reinterpret_cast<float4 *>(raw)[63 - t];
  float3 three = reinterpret_cast<float3 *>(store)[t];
  out[t] = v.x + three.y + reinterpret_cast<float4 *>(store + 16)[t % 63].z;
}

__global__ void someLanes(const float *in, float *out, int n) {
  int t = threadIdx.x;
  float v = 0.0f;
  if (t % 4 == 0) v = (*(const float4 *)(in + t)).x;
  if ((t + n) % 4 == 0) v += (*(const float4 *)(in + t + n)).x;
  out[t] = v;
}

struct Header {
  char kind;
  float4 value;
};
__global__ void headers(const Header *in, float *out) { out[threadIdx.x] = in[threadIdx.x].value.x; }

template <typename T>
__global__ void copies(const T *in, T *out) {
  out[threadIdx.x] = in[threadIdx.x];
}

void launch(const float *in, float *out, const Header *headed, int n, int pitch) {
  vectors<<<64, 64>>>(in, out, pitch);
  float *moved;
  cudaMalloc(&moved, n * sizeof(float));
  back<<<1, 64>>>(moved + 1, out);
  bytes<<<1, 64>>>(in, out);
  someLanes<<<1, 64>>>(in, out, n);
  headers<<<1, 64>>>(headed, out);
  copies<float4><<<1, 64>>>((const float4 *)in, (float4 *)out);
}
