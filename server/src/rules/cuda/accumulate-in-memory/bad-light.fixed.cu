__global__ void told(const float *__restrict__ in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < rows; k++) out[i] += in[k * n + i];
}

__global__ void inRegister(const float *in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < rows; k++) sum += in[k * n + i];
  out[i] += sum;
}

// Each iteration adds to another place.
__global__ void scaled(const float *in, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += in[i];
}

__global__ void rowsOf(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) {
    float *row = out + k * n;
    row[i] += in[k * n + i];
  }
}

// Nothing else is read through a pointer.
__global__ void computed(float *out, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rows; k++) out[i] += k * 0.5f;
}

__global__ void fromShared(const float *in, float *out, int rows) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  for (int k = 0; k < rows; k++) out[i] += tile[(threadIdx.x + k) % 256];
}

// Others look at the sum between two iterations.
__global__ void waves(const float *in, float *out, int n, int rows) {
  int i = threadIdx.x;
  for (int k = 0; k < rows; k++) {
    out[i] += in[k * n + i];
    __syncthreads();
  }
}

// The array of the sum is read at other places: whether they are apart is not known.
__global__ void prefix(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) out[i] += out[i + k + 1] * in[k * n + i];
}

__global__ void three(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = out[i];
  for (int k = 0; k < 3; k++) sum += in[k * n + i];
  out[i] = sum;
}

__global__ void leader(const float *in, float *out, int n) {
  if (threadIdx.x == 0)
    if (n > 0) {
      float sum = out[blockIdx.x];
      for (int k = 0; k < n; k++) sum += in[blockIdx.x * n + k];
      out[blockIdx.x] = sum;
    }
}

__global__ void byPlace(const float *in, const int *place, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) out[place[i]] += in[k * n + i];
}

// Where a segment begins lies in memory, which the loop could change for all that is known.
__global__ void segments(const float *in, const int *begins, float *out, int n) {
  for (int k = 0; k < n; k++) out[begins[blockIdx.x] + threadIdx.x] += in[k * n + threadIdx.x];
}

// What a function does to memory is its own matter.
__device__ float weigh(const float *in, int at) { return in[at] > 0.0f ? 1.0f : 2.0f; }

__global__ void byFunction(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) out[i] += in[k * n + i] * weigh(in, k);
}

// A race, and nothing that a register would mend.
__global__ void together(const float *in, float *out, int n) {
  for (int k = 0; k < n; k++) out[blockIdx.x] += in[k * n + threadIdx.x];
}

void run(const float *a, float *c, const int *place, int n) {
  told<<<(n + 255) / 256, 256>>>(a, c, n, 100);
  inRegister<<<n / 256, 256>>>(a, c, n, 100);
  scaled<<<100, 256>>>(a, c, n);
  rowsOf<<<n / 256, 256>>>(a, c, n);
  computed<<<n / 256, 256>>>(c, 100);
  fromShared<<<n / 256, 256>>>(a, c, 100);
  waves<<<1, 256>>>(a, c, n, 100);
  prefix<<<n / 256, 256>>>(a, c, n);
  three<<<n / 256, 256>>>(a, c, n);
  leader<<<n, 1>>>(a, c, n);
  byPlace<<<n / 256, 256>>>(a, place, c, n);
  segments<<<n / 256, 256>>>(a, place, c, n);
  byFunction<<<n / 256, 256>>>(a, c, n);
  together<<<n / 256, 256>>>(a, c, n);
}
