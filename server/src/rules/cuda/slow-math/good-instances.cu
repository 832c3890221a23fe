// With integers the power is no product: one launch of a template may be such.
template <typename Number>
__global__ void squares(const Number *x, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pow(x[i], 2);
}
void run(const float *x, const int *k, double *out, int n) {
  squares<float><<<(n + 255) / 256, 256>>>(x, out, n);
  squares<int><<<(n + 255) / 256, 256>>>(k, out, n);
}
