// A macro whose every use is float is corrected where it is defined; one that host code uses, too, is cast where it
// is used once.
#define DECAY 0.97     // of a step
#define OFFSET (-0.2)
#define RATE 1.3
#define FLOOR 1e-8
#define SHARE 0.3

__device__ float damped(float x) { return DECAY * x; }
//                                        ^^^^^ macro

__global__ void step(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = x[i] * DECAY;
//              ^^^^^ macro
  x[i] = damped(x[i] + OFFSET) * x[0];
//                     ^^^^^^ macro
  if (x[i] > 0.f) x[i] = x[i] * RATE;
//                              ^^^^ macro
  float least = -FLOOR;
  x[i] = least + x[i] + FLOOR;
//                      ^^^^^ macro
  x[i] = x[i] * SHARE + 2.0f;
//              ^^^^^ macro
  x[i] = x[i] * SHARE + 3.0f;
//              ^^^^^ macro
}

double run(float *x, int n) {
  step<<<(n + 255) / 256, 256>>>(x, n);
  return n * RATE * SHARE;
}
