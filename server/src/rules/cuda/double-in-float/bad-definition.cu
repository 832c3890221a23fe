// A macro whose every use is float is corrected where it is defined; one that host code uses, too, is cast.
#define DECAY 0.97     // of a step
#define OFFSET (-0.2)
#define RATE 1.3

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
}

double run(float *x, int n) {
  step<<<(n + 255) / 256, 256>>>(x, n);
  return n * RATE;
}
