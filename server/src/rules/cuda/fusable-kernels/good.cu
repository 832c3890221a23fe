// What looks alike, and where one kernel would be wrong or nothing is saved.
__global__ void scale(const float *in, float *out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}

// Neighbours of other threads.
__global__ void blur(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

void smooth(const float *in, float *between, float *out, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  blur<<<(n + 255) / 256, 256>>>(between, out, n);
}

// The first one reads elements of others, which the second writes.
__global__ void square(float *values, const float *other, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = other[i] * other[i];
}

void ahead(float *values, float *out, int n) {
  blur<<<(n + 255) / 256, 256>>>(values, out, n);
  square<<<(n + 255) / 256, 256>>>(values, out, n);
}

// Other shapes, other streams, other halves of one array.
void apart(const float *in, float *between, float *out, int n, cudaStream_t one, cudaStream_t other) {
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  square<<<(n + 127) / 128, 128>>>(out, between, n);
  scale<<<(n + 255) / 256, 256, 0, one>>>(in, between, 2.0f, n);
  square<<<(n + 255) / 256, 256, 0, other>>>(out, between, n);
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  square<<<(n + 255) / 256, 256>>>(out, between + 1, n);
}

// Something happens in between.
void between(const float *in, float *middle, float *out, float *host, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, middle, 2.0f, n);
  cudaMemcpy(host, middle, n * sizeof(float), cudaMemcpyDeviceToHost);
  square<<<(n + 255) / 256, 256>>>(out, middle, n);
  scale<<<(n + 255) / 256, 256>>>(in, middle, 2.0f, n);
  n = n / 2;
  square<<<(n + 255) / 256, 256>>>(out, middle, n);
}

// One place of a block, that its first thread writes and all of them read.
__global__ void firstOf(const float *in, float *firsts) {
  if (threadIdx.x == 0) firsts[blockIdx.x] = in[blockIdx.x * blockDim.x];
}

__global__ void minusFirst(const float *in, const float *firsts, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] - firsts[blockIdx.x];
}

void centre(const float *in, float *firsts, float *out, int n) {
  firstOf<<<n / 256, 256>>>(in, firsts);
  minusFirst<<<n / 256, 256>>>(in, firsts, out, n);
}

// Each thread's own place, but another one.
__global__ void backwards(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[n - 1 - i];
}

void reversed(const float *in, float *between, float *out, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  backwards<<<(n + 255) / 256, 256>>>(between, out, n);
}

// Threads side by side along y write one element: a second axis that the index leaves out.
__global__ void flat(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + threadIdx.y;
}

void rows(const float *in, float *between, float *out, int n) {
  dim3 block(32, 4);
  flat<<<n / 32, block>>>(in, between, n);
  scale<<<n / 32, block>>>(between, out, 2.0f, n);
}

// Setting up.
__global__ void fill(float *values, float with, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = with;
}

void start(const float *in, float *out, int n) {
  fill<<<(n + 255) / 256, 256>>>(out, 0.0f, n);
  scale<<<(n + 255) / 256, 256>>>(out, out, 2.0f, n);
}

// Barriers, shared memory and atomics are what threads do together.
__global__ void staged(const float *in, float *out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = tile[255 - threadIdx.x];
}

__global__ void total(const float *in, int *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0.0f) atomicAdd(sum, 1);
}

void together(const float *in, float *between, float *out, int *sum, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  staged<<<(n + 255) / 256, 256>>>(between, out, n);
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  total<<<(n + 255) / 256, 256>>>(between, sum, n);
}

// The first one writes what the second does not touch.
void unrelated(const float *in, float *one, float *two, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, one, 2.0f, n);
  square<<<(n + 255) / 256, 256>>>(two, in, n);
}

// Work that repeats for one element: its way through memory is little beside it.
__global__ void iterate(const float *in, float *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  for (int round = 0; round < rounds; round++) value = value * value + 0.25f;
  out[i] = value;
}

void fractal(const float *in, float *between, float *out, int n) {
  scale<<<(n + 255) / 256, 256>>>(in, between, 2.0f, n);
  iterate<<<(n + 255) / 256, 256>>>(between, out, n, 1000);
}
