// A function that is subtracted from a constant may come near it: its error as a float function would be all of it.
__global__ void corrected(const float *x, float *y, int n, float beta, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 - pow(beta, step));
//                              ^^^ function
}

void run(const float *x, float *y, int n) { corrected<<<(n + 255) / 256, 256>>>(x, y, n, 0.9f, 10); }
