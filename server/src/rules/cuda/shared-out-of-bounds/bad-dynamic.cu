template <typename T>
struct Shared {
  __device__ operator T *() {
    extern __shared__ double bytes[];
    return (T *)bytes;
  }
};

__global__ void reverse(const float *in, float *out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  if (t < 128) s[t] = in[t];
  __syncthreads();
  out[t] = s[blockDim.x - 1 - t];
  //       ^^^^^^^^^^^^^^^^^^^^^ beyond-launch
}

// One array behind the other: the launch counts elements of the first alone.
__global__ void two(const float *in, float *out) {
  extern __shared__ float first[];
  float *second = first + blockDim.x;
  int t = threadIdx.x;
  first[t] = in[t];
  if (t < 64) second[t] = in[t] * in[t];
  __syncthreads();
  out[t] = first[blockDim.x - 1 - t] + second[t];
  //                                   ^^^^^^^^^ beyond-launch
}

template <typename T>
__global__ void wide(const T *in, T *out) {
  T *s = Shared<T>();
  int t = threadIdx.x;
  if (t < 64) s[t] = in[t];
  __syncthreads();
  out[t] = s[t ^ 1];
  //       ^^^^^^^^ beyond-launch
}

__global__ void steps(const float *in, float *out) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < 512; i += 128) s[i] = in[i];
  //                                           ^^^^ beyond-launch
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = s[511 - i];
}

template <typename T>
void run(const T *in, T *out, int threads) {
  wide<T><<<1, threads, threads * sizeof(float)>>>(in, out);
}

void launch(float *a, float *b, double *c, double *d) {
  reverse<<<1, 256>>>(a, b);
  const int blocks[] = {128, 256};
  for (int i = 0; i < 2; i++) two<<<1, blocks[i], blocks[i] * sizeof(float)>>>(a, b);
  run<double>(c, d, 256);
  steps<<<1, 128, 128 * sizeof(float)>>>(a, b);
}
