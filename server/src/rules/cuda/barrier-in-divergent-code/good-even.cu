// What a butterfly of shuffles left the same in all lanes, and a loop up to a constant of a type: nobody stays away.
template <typename T>
__device__ T everywhere(T value) {
  for (int distance = 16; distance >= 1; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

__global__ void moments(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const int sum = everywhere(value);
  if (sum) {
    const int square = everywhere(value * value);
    if (threadIdx.x % 32 == 0) out[i / 32] = square / sum;
  }
}

template <typename Traits>
__global__ void columns(const float *in, float *out) {
  __shared__ float part[Traits::WIDTH];
  for (int column = blockIdx.x * 32 + threadIdx.x; column < Traits::COLUMNS; column += 32 * gridDim.x) {
    part[threadIdx.x] = in[column];
    __syncthreads();
    out[column] = part[31 - threadIdx.x];
    __syncthreads();
  }
}

template <typename Traits>
void run(const int *numbers, int *out, const float *in, float *sums, int n) {
  moments<<<(n + 255) / 256, 256>>>(numbers, out, n);
  columns<Traits><<<8, 32>>>(in, sums);
}

__device__ float turned(float value) {
  __shared__ float part[256];
  part[threadIdx.x] = value;
  __syncthreads();
  return part[255 - threadIdx.x];
}

__global__ void flagged(const float *in, float *out, int n) {
  // There is one of it for the whole grid: what is read of it is read by all.
  static __device__ int unsafe = 0;
  for (int layer = 0; layer < n; layer++) {
    if (blockIdx.x == 0 && threadIdx.x == 0) unsafe = 0;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && fabsf(in[i + layer]) > 40) unsafe = 1;
    __syncthreads();
    if (unsafe) out[i] = turned(in[i]);
  }
}
