// Leaders in other spellings, halo rows and tails behind a vector loop: long straight code of a few lanes, a hint.
__device__ float bounded(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

__global__ void leaders(const float *in, float *out, int4 *best, int n) {
  __shared__ float tile[18][18];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  int i = blockIdx.x * 256 + t;
  if (threadIdx.x == 0)
    //^^^^^^^^^^^^^^^^ lanes-differ hint
    tile[threadIdx.y + 1][0] = bounded(in[i]) * bounded(in[i + 1]) + bounded(in[i + 2]) * bounded(in[i + 3]);
  __syncthreads();
  if (i < n && threadIdx.x == 0) {
    //^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-differ hint
    best[i] = make_int4(int(in[i]), int(in[i + 1]), int(in[i + 2]), int(in[i + 3]));
    out[i] = bounded(tile[threadIdx.y][1]) + bounded(tile[threadIdx.y][2]) + bounded(in[i + 4]);
  }
  out[i + n] = tile[threadIdx.y][threadIdx.x];
}

void launch(const float *in, float *out, int4 *best, int n) { leaders<<<n / 256, dim3(16, 16)>>>(in, out, best, n); }
