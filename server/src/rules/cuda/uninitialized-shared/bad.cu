// Sums and flags that nothing sets to begin with, and halos that no thread brings.
__global__ void sums(const float *in, float *out) {
  __shared__ float sum[64];
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) sum[t] += in[(blockIdx.x * 4 + k) * 64 + t];
//                            ^^^^^^ element warning
  out[blockIdx.x * 64 + t] = sum[t];
}

__global__ void halo(const float *in, float *out) {
  __shared__ float s[66];
  int t = threadIdx.x;
  s[t + 1] = in[blockIdx.x * 64 + t];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t] + s[t + 2];
//                           ^^^^ some information
}

__global__ void never(float *out) {
  __shared__ float s[64];
  out[threadIdx.x] = s[threadIdx.x];
//                   ^^^^^^^^^^^^^^ element warning
}

__global__ void flagged(const float *in, float *out) {
  __shared__ float first;
  int t = threadIdx.x;
  float v = in[t] - first;
//                  ^^^^^ variable warning
  __syncthreads();
  if (t == 0) first = in[0];
  __syncthreads();
  out[t] = v + first;
}

__global__ void upper(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < 32) s[t] = in[t];
  __syncthreads();
  if (t >= 32) out[t] = s[t];
//                      ^^^^ element warning
}

void launch(const float *in, float *out) {
  sums<<<64, 64>>>(in, out);
  halo<<<64, 64>>>(in, out);
  never<<<1, 64>>>(out);
  flagged<<<1, 64>>>(in, out);
  upper<<<1, 64>>>(in, out);
}
