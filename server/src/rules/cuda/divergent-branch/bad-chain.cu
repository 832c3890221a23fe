// A chain of comparisons with loaded values: its first branch speaks for what follows, and arms that other arms predicate need no word.
__device__ float polynomial(float x, int degree) {
  float sum = 0.0f;
  for (int k = 0; k < degree; k++) sum = sum * x + 1.0f;
  return sum;
}

__global__ void classes(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float y = 0.0f;
  if (x < 1.0f) {
//    ^^^^^^^^ data hint
    for (int k = 0; k < 40; k++) y += polynomial(x, k);
  } else if (x < 2.0f) {
    for (int k = 0; k < 50; k++) y += polynomial(x, k) * 2.0f;
  } else if (x < 3.0f) {
    for (int k = 0; k < 60; k++) y += polynomial(x, k) * 3.0f;
  }
  out[i] = y;
}

void launch(const float *in, float *out, int n) { classes<<<(n + 255) / 256, 256>>>(in, out, n); }
