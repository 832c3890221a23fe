// Leaders in other spellings, halo rows and tails behind a vector loop: long straight code of a few lanes, a hint.
__device__ float bounded(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

__global__ void leaders(const float *in, float *out, int4 *best, int n) {
  __shared__ float tile[18][18];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  int i = blockIdx.x * 256 + t;
  if (threadIdx.x == 0)
//    ^^^^^^^^^^^^^^^^ lanes-differ hint
    tile[threadIdx.y + 1][0] = bounded(in[i]) * bounded(in[i + 1]) + bounded(in[i + 2]) * bounded(in[i + 3]);
  __syncthreads();
  if (i < n && threadIdx.x == 0) {
//    ^^^^^^^^^^^^^^^^^^^^^^^^^ lanes-differ hint
    best[i] = make_int4(int(in[i]), int(in[i + 1]), int(in[i + 2]), int(in[i + 3]));
    out[i] = bounded(tile[threadIdx.y][1]) + bounded(tile[threadIdx.y][2]) + bounded(in[i + 4]);
  }
  out[i + n] = tile[threadIdx.y][threadIdx.x];
}

void launch(const float *in, float *out, int4 *best, int n) { leaders<<<n / 256, dim3(16, 16)>>>(in, out, best, n); }

// A short loop of a few lanes, a warp of which some lanes have no role, and a corner of the data.
__global__ void roles(const unsigned *in, unsigned *out, const float *table, int n) {
  __shared__ unsigned chunk[32][33];
  __shared__ float grid[9 * 9 * 33];
  unsigned flag = 0;
  chunk[threadIdx.y][threadIdx.x] = in[(blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 8) {
//    ^^^^^^^^^^^^^^^ lanes-differ hint
    for (int i = 0; i < 4; i++) flag |= chunk[threadIdx.x * 4 + i][threadIdx.y];
    out[threadIdx.y * 8 + threadIdx.x] = flag;
  }
  unsigned state = in[threadIdx.x];
  if (threadIdx.x < 25) {
//    ^^^^^^^^^^^^^^^^ lanes-differ hint
    for (int round = 0; round < 24; round++) state ^= (state << 7 | state >> 25) + chunk[round][threadIdx.x];
    out[n + threadIdx.x] = state;
  }
  for (int t = threadIdx.y * 32 + threadIdx.x; t < 9 * 9 * 33; t += 256) {
    int x = t % 33, y = (t / 33) % 9, z = t / 33 / 9;
    if (x % 8 == 0 && y % 8 == 0 && z % 8 == 0) {
      grid[t] = bounded(table[x / 8]) + bounded(table[y / 8 * n]) + bounded(table[z / 8 * n * n]);
      if (x < n) grid[t] += bounded(table[n + x]) + bounded(table[n + y]) + bounded(table[n + z]);
    }
  }
  __syncthreads();
  out[2 * n + threadIdx.x] = (unsigned)grid[threadIdx.x * 33];
}

void launchRoles(const unsigned *in, unsigned *out, const float *table, int n) {
  roles<<<1000, dim3(32, 8)>>>(in, out, table, n);
}

// One row of the block prepares a value for each column, again for each plane.
__global__ void planes(const float *in, float *out, const float *mean, const float *scale, int count, int rows) {
  __shared__ float weight[12], bias[12];
  for (int plane = threadIdx.x + blockIdx.x * 12; plane < count; plane += gridDim.x * 12) {
    if (threadIdx.y == 0) {
      weight[threadIdx.x] = bounded(scale[plane] + 0.001f) * bounded(scale[plane + count]) * bounded(scale[plane]);
      bias[threadIdx.x] = bounded(mean[plane + count]) - bounded(mean[plane]) * weight[threadIdx.x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < rows; row += 64)
      out[plane + row * count] = weight[threadIdx.x] * in[plane + row * count] + bias[threadIdx.x];
    __syncthreads();
  }
}

void launchPlanes(const float *in, float *out, const float *mean, const float *scale, int count, int rows) {
  planes<<<100, dim3(12, 64)>>>(in, out, mean, scale, count, rows);
}
