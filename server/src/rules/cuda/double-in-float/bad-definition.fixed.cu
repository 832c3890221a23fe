// A macro whose every use is float is corrected where it is defined; one that host code uses, too, is cast where it
// is used once.
#define DECAY 0.97f     // of a step
#define OFFSET (-0.2f)
#define RATE 1.3
#define FLOOR 1e-8f
#define SHARE 0.3

__device__ float damped(float x) { return DECAY * x; }

__global__ void step(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = x[i] * DECAY;
  x[i] = damped(x[i] + OFFSET) * x[0];
  if (x[i] > 0.f) x[i] = x[i] * (float)RATE;
  float least = -FLOOR;
  x[i] = least + x[i] + FLOOR;
  x[i] = x[i] * SHARE + 2.0f;
//              ^^^^^ macro
  x[i] = x[i] * SHARE + 3.0f;
//              ^^^^^ macro
}

double run(float *x, int n) {
  step<<<(n + 255) / 256, 256>>>(x, n);
  return n * RATE * SHARE;
}
