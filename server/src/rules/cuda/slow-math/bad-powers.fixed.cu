// Powers of one function are written out together, spaced as the products beside them.
__global__ void moments(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float square = v * v;
  float cube = v * v * v;
  y[i] = square + cube + (v*v)*(v*v)*v + 2.0f*(1.0f/(v*v));
}

void run(const float *x, float *y, int n) { moments<<<(n + 255) / 256, 256>>>(x, y, n); }
