// Code that names its floating-point type: a constant becomes one of that type, whatever it is set to.
typedef float Real;
using Weight = Real;
#define DAMPING 0.85

template <typename T>
__global__ void relax(T *x, const T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 0.3 + y[i];
//                         ^^^ literal
}

__global__ void weigh(const Weight *w, Real *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Real sum = pow(w[i], 3);
//           ^^^ function
  sum = fabs(w[i]) + 0.1;
//                   ^^^ literal
  out[i] = sum * DAMPING * 1.1;
//               ^^^^^^^ macro
//                         ^^^ literal
}

void run(float *x, const float *y, int n) {
  relax<<<(n + 255) / 256, 256>>>(x, y, n);
  weigh<<<(n + 255) / 256, 256>>>(y, x, n);
}
