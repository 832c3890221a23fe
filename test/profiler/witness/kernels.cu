// Kernels whose PTX is recorded beside this file: nvcc 13.0 -arch=sm_90 -lineinfo -ptx.
__global__ void scaled(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] * 0.1;
}
__global__ void halved(float *a) {
  a[threadIdx.x] = a[threadIdx.x] * 0.5;
}
__global__ void chosen(const float *a, float *b) {
  float v = a[threadIdx.x];
  if (v > 0.0f)
    v += 1.0f;
  else
    v -= 1.0f;
  b[threadIdx.x] = v;
}
__global__ void summed(const float *a, float *s, const float *__restrict__ c, float *__restrict__ t, int n) {
  for (int j = 0; j < n; j++)
    s[threadIdx.x] += a[j];
  for (int j = 0; j < n; j++)
    t[threadIdx.x] += c[j];
}
__global__ void added(const float *a, float *total) {
  atomicAdd(total, a[threadIdx.x]);
}
__global__ void raised(float *a, float *b) {
  a[threadIdx.x] = powf(a[threadIdx.x], 1.5f);
  b[threadIdx.x] = __powf(b[threadIdx.x], 1.5f);
}
