// What is read may be the sum of this thread or of another, or nobody can say.

// The last warp of an old reduction: the lanes read each other's sums.
__global__ void lastWarp(const float *in, float *out) {
  __shared__ float sums[64];
  unsigned int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32)
    for (unsigned int step = 32; step > 0; step /= 2) sums[t] += sums[t + step];
  if (t == 0) out[blockIdx.x] = sums[0];
}

// `j` comes to be `i`.
__global__ void upToItself(float *m) {
  __shared__ float tile[16][16];
  for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 16; i++)
    for (int j = 0; j <= i; j++) tile[i][threadIdx.x] += tile[j][threadIdx.x];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

// The condition holds no longer when `j` has moved on.
__global__ void movedOn(float *m) {
  __shared__ float tile[18][16];
  for (int i = 0; i < 18; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < i;) {
      j++;
      tile[i][threadIdx.x] += tile[j][threadIdx.x];
    }
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

// Without signs -1 is more than everything.
__global__ void withoutSigns(float *m, int n) {
  __shared__ float tile[16][16];
  for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = -1; i < 15; i++)
    for (unsigned int j = 0; j < i && j < 16; j++) tile[i & 15][threadIdx.x] += tile[j][threadIdx.x];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

// A pointer leads into the array.
__global__ void throughPointer(float *m) {
  __shared__ float tile[16][16];
  float *first = &tile[0][0];
  for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 1; i < 16; i++)
    for (int j = 0; j < i; j++) tile[i][threadIdx.x] += tile[j][threadIdx.x] * first[i * 16 + j];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

// Volatile memory is read and stored as often as it is written down.
__global__ void everyTime(float *m) {
  __shared__ volatile float tile[16][16];
  for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 1; i < 16; i++)
    for (int j = 0; j < i; j++) tile[i][threadIdx.x] += tile[j][threadIdx.x];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

// Two arrays that the launch gives their bytes are one.
__global__ void oneMemory(float *m) {
  extern __shared__ float tile[];
  extern __shared__ float other[];
  for (int i = 0; i < 16; i++) tile[i * 16 + threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 1; i < 16; i++)
    for (int j = 0; j < i; j++) tile[i * 16 + threadIdx.x] += tile[j * 16 + threadIdx.x] * other[i * 16 + j];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i * 16 + threadIdx.x];
}

// Nothing else of the array is read: the compiler holds it in a register by itself.
__global__ void alone(const float *in, float *out, int n) {
  __shared__ float sums[256];
  sums[threadIdx.x] = 0.0f;
  for (int k = 0; k < n; k++) sums[threadIdx.x] += in[k * 256 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[255 - threadIdx.x];
}

// Rows may be longer than they are said to be.
__global__ void otherRow(float *m) {
  __shared__ float tile[16][16];
  for (int i = 0; i < 16; i++) tile[i][threadIdx.x] = m[i * 16 + threadIdx.x];
  __syncthreads();
  for (int i = 1; i < 16; i++)
    for (int j = 0; j < i; j++) tile[i][threadIdx.x] += tile[j][threadIdx.x + 16];
  for (int i = 0; i < 16; i++) m[i * 16 + threadIdx.x] = tile[i][threadIdx.x];
}

void run(const float *in, float *m, float *out, int n) {
  lastWarp<<<n, 64>>>(in, out);
  upToItself<<<1, 16>>>(m);
  movedOn<<<1, 16>>>(m);
  withoutSigns<<<1, 16>>>(m, n);
  throughPointer<<<1, 16>>>(m);
  everyTime<<<1, 16>>>(m);
  oneMemory<<<1, 16, 1024>>>(m);
  alone<<<1, 256>>>(in, out, n);
  otherRow<<<1, 16>>>(m);
}
