// Powers in a template whose launches and instantiations give it several types: slow with each of them.
template <typename Real>
__global__ void attraction(const double *distance, double *energy, Real range, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Real r = distance[i];
  energy[i] = 4 * (pow(range / r, 12) - pow(range / r, 6));
//                                      ^^^^^^^^^^^^^^^^^ power
}
void run(const double *d, double *e, int n, cudaStream_t s) {
  attraction<float><<<(n + 127) / 128, 128, 0, s>>>(d, e, 0.3f, n);
  attraction<double><<<(n + 127) / 128, 128, 0, s>>>(d, e, 0.3, n);
}

// Nothing here launches it.
template <typename Real>
__global__ void norms(const Real *x, const Real *y, Real *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrt(x[i] * x[i] + y[i] * y[i]);
}
template __global__ void norms<float>(const float *x, const float *y, float *out, int n);
template __global__ void norms<double>(const double *x, const double *y, double *out, int n);
