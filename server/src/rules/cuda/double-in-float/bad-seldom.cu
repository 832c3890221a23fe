// What runs where a number is zero to the last bit runs in hardly any thread.
__global__ void scale(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i];
  while (a == 0.0f) {
    a = (float)(0.00001 * (0.001 + y[i]));
//              ^^^^^^^ literal warning
//                         ^^^^^ literal hint
    y[i] += a;
  }
  if (a > 1.0f) a = 0.3 * a;
//                  ^^^ literal
  x[i] = a;
}

void run(float *x, float *y, int n) { scale<<<n / 256, 256>>>(x, y, n); }
