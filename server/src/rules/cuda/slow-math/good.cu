// Exponents that vary, that have a name, or no short form; host code; a program's own power.
constexpr float gammaOf = 2.0f;
template <typename T> __global__ void generic(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = pow(x[i], T(2));
}

__global__ void powers(const float *x, float *y, int n, float exponent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = powf(x[i], exponent) + powf(x[i], gammaOf) + powf(x[i], 2.4f) + powf(exponent, x[i]) + powf(1.1f, x[i]);
  y[i] += powf(2.0f, 10.0f) + 1.0f / x[i] + sqrtf(x[i]) / 2.0f + 2.0f / sqrtf(x[i]) + rsqrtf(x[i]);
}

// Whole powers of two that an `int` may not hold, or that stay what they are.
__global__ void sizes(long long *bytes, float *scales, int bits) {
  bytes[threadIdx.x] = __powf(2, bits);
  scales[threadIdx.x] = __powf(2, bits);
}

namespace mine {
__device__ float pow3(float v) { return v * v * v; }
}
__global__ void own(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mine::pow3(x[i]);
}

// Powers of constants are computed while the kernel is compiled.
#include <math.h>
const double PI = 3.141592653589793;
__global__ void constants(double *y) {
  y[threadIdx.x] *= pow(M_PI, 1.5) + pow(M_PI / 2, 3.0) + pow(1.0 * PI, 3.0) + pow(2.0, 11.0 / 3.0);
}

// Called by the host alone, though it is compiled for both.
__host__ __device__ inline double variance(double a) { return pow(a * 0.66556976637, 2.0); }
double width(double radius) { return variance(radius); }

// The compiler has the number of threads, and computes with it.
__global__ void halves(float *sums) {
  int threads = 256;
  int whole = pow(2.0, ceil(log(1.0 * threads) / log(2.0)));
  for (int step = whole / 2; step > 0; step /= 2) sums[threadIdx.x + step] *= 0.5f;
}

float onHost(float v) { return powf(v, 2.0f) + 1.0f / sqrtf(v); }

void run(const float *x, float *y, int n, float exponent) {
  powers<<<(n + 255) / 256, 256>>>(x, y, n, onHost(exponent));
  sizes<<<1, 32>>>((long long *)y, y, n);
  constants<<<1, 32>>>((double *)y);
  own<<<(n + 255) / 256, 256>>>(x, y, n);
  generic<<<(n + 255) / 256, 256>>>(x, y, n);
  halves<<<1, 256>>>(y);
}

// Computed while the kernel is compiled, too: a root of a template's number.
template <int width> __global__ void scaled(const float *in, float *out) {
  const float scale = 1.0f / sqrtf((float)width);
  out[threadIdx.x] = scale * in[threadIdx.x];
}
void runScaled(const float *in, float *out) { scaled<64><<<1, 256>>>(in, out); }

// Divisions that hide behind memory, by constants, by what differs between blocks, by the same reciprocal, or once.
__constant__ float norm;
template <int tiles> __global__ void few(const float *x, float *y, int n, float s, int width, int *widths) {
  const int columns = 64;
  int i = blockIdx.x * blockDim.x + threadIdx.x, own = widths[blockIdx.x];
  if (i >= n) return;
  y[i] = x[i] / s + i / width;
  for (int k = 0; k < 64; k++) {
    y[i] += k % columns + (i + k) % tiles + (k + i) / own + x[k] * (1.0f / norm) + i / width;
    if (k == 7) y[i] += (k + i) / width;
  }
}
void runFew(const float *x, float *y, int n, float s, int *widths) { few<32><<<(n + 255) / 256, 256>>>(x, y, n, s, n, widths); }
