// Doubles on purpose: variables, casts, accumulators, parameters.
__global__ void accurate(const float *x, float *mean, double bias, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * 0.5 + bias;
  double scaled = x[0] * 0.1;
  mean[threadIdx.x] = sum / n + scaled * 2.0;
  mean[threadIdx.x] += (double)x[1] * 0.3;
  const double precise = 3.14159265358979;
  mean[threadIdx.x] *= precise * x[2];
}

__device__ double wide(float v) { return v * 1.1; }

__global__ void callsWide(const float *x, float *y) { y[threadIdx.x] = wide(x[threadIdx.x]) * 0.1; }

void run(const float *x, float *y, int n) {
  accurate<<<1, 128>>>(x, y, 0.25, n);
  callsWide<<<1, 128>>>(x, y);
}
