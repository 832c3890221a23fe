// The index hangs on x alone, whatever other lines do with y.
__global__ void apart(float *x, float *y, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i * 32] = 1.0f;
//^^^^^^^^^ stride
  x[(blockIdx.y * blockDim.y + threadIdx.y) * w + i] = 2.0f;
}

void run(float *x, float *y, int w) { apart<<<dim3(64, 64), dim3(32, 8)>>>(x, y, w); }
