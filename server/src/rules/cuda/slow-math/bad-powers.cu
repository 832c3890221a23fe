// Powers of one function are written out together, spaced as the products beside them.
__global__ void moments(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float square = powf(v, 2.0f);
//               ^^^^^^^^^^^^^ power
  float cube = powf(v, 3.0f);
//             ^^^^^^^^^^^^^ power
  y[i] = square + cube + powf(v, 4.0f)*v + 2.0f*powf(v, -2.0f);
//                       ^^^^^^^^^^^^^ power
//                                              ^^^^^^^^^^^^^^ power
}

void run(const float *x, float *y, int n) { moments<<<(n + 255) / 256, 256>>>(x, y, n); }
