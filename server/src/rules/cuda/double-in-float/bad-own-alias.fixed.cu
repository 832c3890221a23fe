// A kernel's own names for types are the types that they name.
__global__ void decay(float *__restrict__ out, const float *__restrict__ in, int n) {
  using value_t = float;
  typedef value_t sum_t;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  value_t x = in[i];
  sum_t sum = 0.0f;
  for (int step = 0; step < 16; step++) {
    x = x * 0.9f;
    sum += x;
  }
  out[i] = sum;
}

void run(float *out, const float *in, int n) {
  decay<<<(n + 255) / 256, 256>>>(out, in, n);
}
