// Math functions that take their double form: an integer beside a float decides it.
__global__ void powers(const float *x, float *y, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float square = pow(x[i], 2);
//               ^^^ function
  y[i] = square + pow(x[i], degree) + pow(x[i], 1.5);
//                ^^^ function
//                                              ^^^ literal
}

__device__ float norm(const float3 v) { return sqrt(pow(v.x, 2) + pow(v.y, 2) + v.z * v.z); }
//                                                  ^^^ function
//                                                                ^^^ function

__global__ void norms(const float3 *v, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = norm(v[i]);
}

void run(const float *x, float *y, const float3 *v, int n) {
  powers<<<(n + 255) / 256, 256>>>(x, y, n, 5);
  norms<<<(n + 255) / 256, 256>>>(v, y, n);
}
