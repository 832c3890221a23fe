// Math functions that take their double form: an integer beside a float decides it.
__global__ void powers(const float *x, float *y, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float square = powf(x[i], 2);
  y[i] = square + powf(x[i], degree) + pow(x[i], 1.5f);
}

__device__ float norm(const float3 v) { return sqrt(powf(v.x, 2) + powf(v.y, 2) + v.z * v.z); }

__global__ void norms(const float3 *v, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = norm(v[i]);
}

void run(const float *x, float *y, const float3 *v, int n) {
  powers<<<(n + 255) / 256, 256>>>(x, y, n, 5);
  norms<<<(n + 255) / 256, 256>>>(v, y, n);
}
