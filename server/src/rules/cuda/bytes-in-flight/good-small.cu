// Below half a million elements the launch takes most of the time, and doubles keep the memory busy.
__global__ void invert(const unsigned char *in, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 255 - in[i];
}
__global__ void add(const double *a, const double *b, double *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
void run(const unsigned char *in, unsigned char *out, const double *a, const double *b, double *sum) {
  invert<<<1024, 256>>>(in, out, 1 << 18);
  add<<<(1 << 24) / 256, 256>>>(a, b, sum, 1 << 24);
}
