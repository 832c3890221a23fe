// A macro that names the type can name double in another build: the literal takes the macro's type.
#define real float

__device__ real decayed(const real *in, int i) {
  real rate, x;
  x = in[i];
  rate = x / real(33.5e-3);
  return rate;
}

__global__ void decay(real *__restrict__ out, const real *__restrict__ in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = decayed(in, i);
}

void run(float *out, const float *in, int n) {
  decay<<<(n + 255) / 256, 256>>>(out, in, n);
}
