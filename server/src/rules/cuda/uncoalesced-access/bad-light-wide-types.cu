// Sixteen bytes a lane in one instruction, by type, by cast and by alignment; indices that only look irregular.
struct alignas(16) Quad { float a, b, c, d; };

__global__ void scaleQuads(const float4 *in, float4 *out, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[i];
  out[i] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
}

__global__ void castCopy(const float *in, float *out) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  *reinterpret_cast<float4 *>(&out[i]) = *reinterpret_cast<const float4 *>(&in[i]);
}

__global__ void copyQuads(const Quad *in, Quad *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// Row and column are taken apart and put together again.
__global__ void retile(const float *in, float *out, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int row = t / 64, column = t % 64;
  out[row * 64 + column] = in[row * 64 + column];
}

// The index is loaded, but at one address for the whole block.
__global__ void bySegment(const int *starts, const float *in, float *out) {
  int start = starts[blockIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[start + threadIdx.x];
}

// One thread of the block stores; one of the warp adds.
__global__ void results(const float *in, float *sums, int *done) {
  if (threadIdx.x == 0) sums[blockIdx.x * 64] = in[blockIdx.x * 64];
  if (threadIdx.x % 32 == 0) atomicAdd(done, 1);
}

// Eight units of a type that no instance in sight gives move as one uint4, in shared memory as well: halves, most likely.
template <typename T>
__global__ void stageUnits(const T *in, T *out, int rows) {
  __shared__ __align__(16) char memory[128 * 64];
  T *staged = (T *)memory;
  for (int row = 0; row < rows; row++) {
    void *to = (void *)(staged + threadIdx.x * 8);
    *(uint4 *)to = *(const uint4 *)(in + (row * 128 + threadIdx.x) * 8);
//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride hint
    __syncthreads();
    out[row * 128 + threadIdx.x] = staged[threadIdx.x];
    __syncthreads();
  }
}
template <typename T>
void stageAll(const T *in, T *out, int rows) {
  stageUnits<T><<<256, 128>>>(in, out, rows);
}

void launch(const float4 *v, float4 *w, const float *in, float *out, const Quad *q, Quad *r, const int *starts, int *done) {
  scaleQuads<<<256, 256>>>(v, w, 2.0f);
  castCopy<<<256, 256>>>(in, out);
  copyQuads<<<256, 256>>>(q, r);
  retile<<<256, 256>>>(in, out, 64);
  bySegment<<<256, 128>>>(starts, in, out);
  results<<<256, 128>>>(in, out, done);
}
