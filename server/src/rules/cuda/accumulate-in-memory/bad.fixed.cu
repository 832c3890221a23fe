__global__ void columns(const float *in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < rows; k++) {
    sum += in[k * n + i];
  }
  out[i] = sum;
}

__global__ void product(const float *a, const float *b, float *c, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (n > 0) {
    float sum = c[row * n + column];
    for (int k = 0; k < n; k++) {
      sum = sum + a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
  }
}

__global__ void throughPointers(const int *in, float *out, int n) {
  const int *from = in + blockIdx.x * blockDim.x + threadIdx.x;
  float *to = out + blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 0) {
    float sum = *to;
    for (int k = 0; k < n; k++) sum += from[k * n];
    *to = sum;
  }
}

__global__ void window(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = out[i];
  for (int dy = 0; dy < 5; dy++) {
    for (int dx = 0; dx < 5; dx++) {
      sum += in[i + dy * n + dx];
    }
  }
  out[i] = sum;
}

__global__ void both(const float *in, float *sum, float *copy, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (rows > 0) {
    float total = sum[i];
    for (int k = 0; k < rows; k++) {
      total += in[k * n + i];
      copy[k * n + i] = in[k * n + i];
    }
    sum[i] = total;
  }
}

void run(const float *a, const float *b, float *b0, float *c, const int *in, int n) {
  columns<<<(n + 255) / 256, 256>>>(a, c, n, 100);
  product<<<dim3(n / 256, n), 256>>>(a, b, c, n);
  throughPointers<<<n / 256, 256>>>(in, c, n);
  both<<<(n + 255) / 256, 256>>>(a, b0, c, n, 100);
  window<<<n / 256, 256>>>(a, c, n);
}

// The launch that is known gives one type of several that the template may have.
template <typename Real>
__global__ void inOwnType(const Real *in, Real *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Real sum = 0;
  for (int k = 0; k < rows; k++) {
    sum += in[k * n + i];
  }
  out[i] = sum;
}

void run(const double *in, double *out, int n, int rows) {
  inOwnType<<<n / 256, 256>>>(in, out, n, rows);
}

// Another build has another text in the loop.
#define HALVES 1
__global__ void perBuild(const float *in, float *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < rows; k++) {
#if HALVES
    out[i] += in[k * n + i] * 0.5f;
//  ^^^^^^ sum
#else
    out[i] += in[k * n + i];
#endif
  }
}

void run(const float *in, float *out, int n, int rows) {
  perBuild<<<n / 256, 256>>>(in, out, n, rows);
}

// A parameter hides the type of its name outside.
typedef double Value;
template <typename Value>
__global__ void hidden(const Value *in, Value *out, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Value sum = 0;
  for (int k = 0; k < rows; k++) {
    sum += in[k * n + i];
  }
  out[i] = sum;
}

void run(const float *in, float *out, const double *in2, double *out2, int n, int rows) {
  hidden<<<n / 256, 256>>>(in, out, n, rows);
  hidden<<<n / 256, 256>>>(in2, out2, n, rows);
}
