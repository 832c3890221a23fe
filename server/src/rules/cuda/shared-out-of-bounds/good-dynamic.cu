__global__ void reverse(const float *in, float *out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[blockDim.x - 1 - t];
}

__global__ void two(const float *in, float *out) {
  extern __shared__ float first[];
  float *second = first + blockDim.x;
  int t = threadIdx.x;
  first[t] = in[t];
  second[t] = in[t] * in[t];
  __syncthreads();
  out[t] = first[blockDim.x - 1 - t] + second[0];
}

// The launch that gives nothing asks for nothing.
__global__ void either(const float *in, float *out, bool staged) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  if (!staged) {
    out[t] = in[t];
    return;
  }
  s[t] = in[t];
  out[t] = s[t];
}
__global__ void few(const float *in, float *out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  __syncthreads();
  if (t < n) out[t] = s[t];
}
__global__ void by_data(const int *at, const float *in, float *out) {
  extern __shared__ float s[];
  s[at[threadIdx.x]] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] > 0.0f && at[0] > 0 ? s[at[threadIdx.x]] : 0.0f;
}

// A structure laid over the memory: its size is what the launch gives.
struct Tile {
  float left[256], right[256];
};
__global__ void laid(float *out) {
  extern __shared__ char bytes[];
  Tile &tile = *reinterpret_cast<Tile *>(bytes);
  tile.left[threadIdx.x] = 1.0f;
  tile.right[threadIdx.x] = 2.0f;
  out[threadIdx.x] = tile.left[threadIdx.x] + tile.right[threadIdx.x];
}

// As many bytes as the caller says.
void unknown_bytes(const float *in, float *out, int bytes) { reverse<<<1, 256, bytes>>>(in, out); }
void unknown_block(const float *in, float *out, int threads) { reverse<<<1, threads>>>(in, out); }

void launch(const int *i, float *a, float *b, bool staged, int n) {
  reverse<<<1, 256, 256 * sizeof(float)>>>(a, b);
  const int blocks[] = {128, 256};
  for (int each = 0; each < 2; each++) two<<<1, blocks[each], 2 * blocks[each] * sizeof(float)>>>(a, b);
  either<<<1, 256>>>(a, b, staged);
  few<<<1, 256>>>(a, b, n);
  by_data<<<1, 256>>>(i, a, b);
  laid<<<1, 256, sizeof(Tile)>>>(b);
}
