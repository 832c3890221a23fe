// No launch in sight fixes the blocks: those of two warps, of four and of eight race alike.
template <class T> struct Dynamic {
  __device__ operator T *() {
    extern __shared__ int bytes[];
    return (T *)bytes;
  }
};

template <class T> __global__ void sums(const T *in, T *out, int n) {
  T *s = Dynamic<T>();
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : T(0);
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    //                    ^^^^^^^^^^^ unseen-write
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void shifted(const float *in, float *out, int n) {
  __shared__ float s[1025];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) s[t] = in[i];
  if (i + 1 < n) out[i] = s[t + 1];
  //                      ^^^^^^^^ unseen-write
  __syncthreads();
  if (i < n) out[i] += s[t];
}

void run(const float *a, float *b, int n, int threads) {
  sums<float><<<n / threads, threads, threads * sizeof(float)>>>(a, b, n);
  shifted<<<n / threads, threads>>>(a, b, n);
}
