// fix: ^Write all
#define WEIGH(v, w)                      \
  do {                                   \
    (v) = (v) * (w);                     \
  } while (0)
#define HALF   0.5      // of a step
#define TWICE  2.0      // of a step

__device__ float weighted(float a, float b) { return a * b; }

__global__ void mix(float *v, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x     = v[i] * 0.25;       // a quarter
  float other = w[i];              // as it is
  float both  = x * 0.5 + 0.125;   // "two" edits
  for (int k = 0; k < 100; k++) {
    x = weighted(x * 0.5, weighted(other,     // first
                                   both));    // second
    WEIGH(x, other);
    x = x * HALF + TWICE;
  }
  v[i] = x + both;
}

void run(float *v, const float *w, int n) { mix<<<(n + 63) / 64, 64>>>(v, w, n); }
