// Code that names its floating-point type: a constant becomes one of that type, whatever it is set to.
typedef float Real;
using Weight = Real;
#define DAMPING 0.85

template <typename T>
__global__ void relax(T *x, const T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * T(0.3) + y[i];
}

__global__ void weigh(const Weight *w, Real *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Real sum = pow(w[i], Weight(3));
  sum = fabs(w[i]) + Weight(0.1);
  out[i] = sum * Real(DAMPING) * Real(1.1);
}

void run(float *x, const float *y, int n) {
  relax<<<(n + 255) / 256, 256>>>(x, y, n);
  weigh<<<(n + 255) / 256, 256>>>(y, x, n);
}
